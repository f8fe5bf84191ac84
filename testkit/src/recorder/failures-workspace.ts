import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { writeInto } from '../home.ts'

/** A small project in which things go wrong. @example await writeFailingProject(home.cwd) */
export async function writeFailingProject(folder: string): Promise<void> {
  for (const [name, content] of Object.entries(files)) await writeInto(folder, name, content)
  for (const name of executables) await chmod(join(folder, name), 0o755)
  // Root reads everything, so the commands that need this to fail run as nobody.
  await chmod(join(folder, 'secret.txt'), 0o600)
}

const executables = ['deploy.sh', 'build.sh', 'release.sh', 'seed.sh', 'guard.sh']

/** A server of the Model Context Protocol whose tools fail in the way that their names say. */
const mcpServer = `const tools = {
  lookup: { required: ['key'], properties: { key: { type: 'string' } } },
  open_page: { required: ['path'], properties: { path: { type: 'string' } } },
  fetch_ticket: { required: ['id'], properties: { id: { type: 'number' } } },
}
const answers = {
  lookup: ({ key }) => 'LOOKUP_TOKEN is not set: set it before looking up ' + key,
  open_page: ({ path }) => 'ENOENT: no such file or directory, open ' + path,
  fetch_ticket: ({ id }) => '403 Forbidden: you do not have permission to read ticket ' + id,
}
let rest = ''
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) continue
    let result = {}
    if (method === 'initialize')
      result = {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'desk', version: '1.0.0' },
      }
    if (method === 'tools/list')
      result = {
        tools: Object.entries(tools).map(([name, schema]) => ({
          name,
          description: 'Asks the desk',
          inputSchema: { type: 'object', ...schema },
        })),
      }
    if (method === 'tools/call')
      result = { isError: true, content: [{ type: 'text', text: answers[params.name](params.arguments ?? {}) }] }
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
  }
})
`

/** What the test runners of other languages print, which are not there to be run. */
const printed: Readonly<Record<string, string>> = {
  'jest-like.sh': `FAIL src/sum.test.ts
  ● sum › adds numbers

    expect(received).toBe(expected) // Object.is equality

    Expected: 4
    Received: 5

Tests:       1 failed, 3 passed, 4 total
Test Suites: 1 failed, 1 total`,
  'pytest-like.sh': `============================= test session starts ==============================
collected 3 items

tests/test_sum.py .F.                                                    [100%]

=================================== FAILURES ===================================
E       assert 5 == 4
=========================== short test summary info ============================
FAILED tests/test_sum.py::test_adds - assert 5 == 4
========================= 1 failed, 2 passed in 0.03s ==========================`,
  'go-like.sh': `--- FAIL: TestSum (0.00s)
    sum_test.go:9: got 5, want 4
FAIL
FAIL	example.com/sum	0.002s
FAIL`,
  'cargo-like.sh': `running 2 tests
test adds ... FAILED
test subtracts ... ok

failures:
    adds

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out`,
  'vitest-like.sh': ` ❯ src/sum.test.ts (2 tests | 1 failed) 4ms
   × adds numbers 2ms
     → expected 5 to be 4 // Object.is equality

 Test Files  1 failed (1)
      Tests  1 failed | 1 passed (2)`,
  'mocha-like.sh': `  sum
    ✓ subtracts
    1) adds

  1 passing (3ms)
  1 failing

  1) sum
       adds:
      AssertionError [ERR_ASSERTION]: 5 == 4`,
  'rspec-like.sh': `Failures:

  1) Sum adds
     Failure/Error: expect(sum(2, 2)).to eq(4)

       expected: 4
            got: 5

2 examples, 1 failure`,
  'tsc-like.sh': `src/main.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.`,
  'lint-like.sh': `src/main.ts
  3:7  error  'unused' is assigned a value but never used  no-unused-vars

1 problem (1 error, 0 warnings)`,
}

const files: Readonly<Record<string, string>> = {
  'notes.txt': 'alpha\nbeta\nalpha\ngamma\n',
  'src/main.js': "const port = 8080\nconst host = 'localhost'\nconsole.log(host, port)\n",
  'src/sum.js': 'exports.sum = (a, b) => a + b + 1\n',
  'secret.txt': 'not for everybody\n',
  'plain.sh': '#!/bin/sh\necho never\n',
  'broken.js': 'function ( {\n',
  'broken.py': 'def x(:\n  pass\n',
  'broken.sh': 'if true; then\n  echo x\n',
  'broken.json': '{"a": 1,}\n',
  'main.c': 'int main(void) { return missing; }\n',
  Makefile: 'all:\n\t@echo "linking app"; echo "ld: symbol main not resolved"; exit 1\n',
  'package.json':
    '{\n  "name": "project",\n  "private": true,\n  "scripts": { "build": "sh build.sh", "test": "node --test test" }\n}\n',
  'test/sum.test.js': `const test = require('node:test')
const assert = require('node:assert')
const { sum } = require('../src/sum.js')
test('adds', () => assert.strictEqual(sum(2, 2), 4))
`,
  'test_sum.py': `import unittest
class SumTest(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(2 + 2, 5)
`,
  'deploy.sh':
    '#!/bin/sh\n[ -n "$DEPLOY_TOKEN" ] || { echo "Error: DEPLOY_TOKEN is not set" >&2; exit 1; }\n',
  'release.sh': '#!/bin/sh\n: "${RELEASE_KEY:?must be set before a release}"\n',
  'seed.sh':
    '#!/bin/sh\n[ -n "$DATABASE_URL" ] || { echo "Missing required environment variable: DATABASE_URL" >&2; exit 2; }\n',
  'guard.sh': '#!/bin/sh\necho "Access denied: user ci may not deploy to production" >&2\nexit 13\n',
  'build.sh':
    '#!/bin/sh\necho "Building app"\necho "Build failed: 2 modules could not be linked" >&2\nexit 1\n',
  // A connection that is taken by the kernel and served by nobody.
  'slow-server.cjs': `const { createServer } = require('node:http')
const { spawnSync } = require('node:child_process')
const server = createServer().listen(0, '127.0.0.1', () => {
  const url = 'http://127.0.0.1:' + server.address().port + '/'
  process.exit(spawnSync('curl', ['-sS', '--max-time', '1', url], { stdio: 'inherit' }).status)
})
`,
  // Asked before every call by the CLIs that have hooks; $1 is what it says to refuse a call in JSON.
  'forbid.sh': `payload=$(cat)
case $payload in
  *forbidden-thing*) echo "The team does not allow forbidden-thing here" >&2; exit 2 ;;
  *refused-thing*) printf '%s' "$1" ;;
esac
`,
  // Npm would ask its registry whether there is a newer one.
  '.npmrc': 'update-notifier=false\nregistry=http://127.0.0.1:1/\nfetch-retries=0\n',
  '.env': 'KEY=1\n',
  'fix.patch': `--- a/notes.txt
+++ b/notes.txt
@@ -1,3 +1,3 @@
 one
-two
+zwei
 three
`,
  'desk.mjs': mcpServer,
  ...Object.fromEntries(
    Object.entries(printed).map(([name, text]) => [name, `cat <<'END'\n${text}\nEND\nexit 1\n`]),
  ),
}
