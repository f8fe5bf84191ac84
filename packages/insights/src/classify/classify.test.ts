import { describe, expect, it } from 'vitest'
import { call } from '../calls.test-data.ts'
import { type Classified, classify } from './classify.ts'
import { failureClasses } from './failure-class.ts'
import { rules } from './rules.ts'

type Expected = readonly [kind: Classified['class'], rule: string, detail?: string]

const shells: readonly (readonly [error: string, ...Expected])[] = [
  ['bash: line 1: jq: command not found', 'missing-command', 'shell-command-not-found', 'jq'],
  ['/bin/bash: foo-bar: command not found', 'missing-command', 'shell-command-not-found', 'foo-bar'],
  ['sudo: apt: command not found', 'missing-command', 'shell-command-not-found', 'apt'],
  ['zsh:1: command not found: rg', 'missing-command', 'zsh-command-not-found', 'rg'],
  ['sh: 1: jest: not found', 'missing-command', 'sh-not-found', 'jest'],
  ['/bin/sh: pnpm: not found', 'missing-command', 'sh-not-found', 'pnpm'],
  ['> test\n> jest\n\nsh: 1: jest: not found', 'missing-command', 'sh-not-found', 'jest'],
  ["/usr/bin/env: 'python': No such file or directory", 'missing-command', 'start-not-found', 'python'],
  ['env: ‘node20’: No such file or directory', 'missing-command', 'start-not-found', 'node20'],
  ['Error: spawn tsc ENOENT', 'missing-command', 'start-not-found', 'tsc'],
  ['exec: "docker": executable file not found in $PATH', 'missing-command', 'start-not-found', 'docker'],
  ['/usr/bin/python3: No module named pytest', 'missing-command', 'subcommand-not-installed', 'pytest'],
  ['error: no such command: `nextest`', 'missing-command', 'subcommand-not-installed', 'nextest'],
  ['cat: nope.txt: No such file or directory', 'wrong-path', 'no-such-file', 'nope.txt'],
  ["ls: cannot access '/nope': No such file or directory", 'wrong-path', 'no-such-file', '/nope'],
  ['bash: ./build.sh: No such file or directory', 'wrong-path', 'no-such-file', './build.sh'],
  ['bash: line 1: cd: /nope: No such file or directory', 'wrong-path', 'no-such-file', '/nope'],
  ["Error: Cannot find module '/home/me/nope.js'", 'wrong-path', 'node-module-path', '/home/me/nope.js'],
  ["fatal: pathspec 'a.txt' did not match any files", 'wrong-path', 'no-such-file'],
  ['cat: src: Is a directory', 'wrong-path', 'file-kind'],
  ['bash: line 1: DEPLOY_TOKEN: unbound variable', 'missing-env', 'shell-unset-variable', 'DEPLOY_TOKEN'],
  ['sh: 1: API_URL: parameter not set', 'missing-env', 'shell-unset-variable', 'API_URL'],
  ['Error: DATABASE_URL is not set', 'missing-env', 'variable-not-set', 'DATABASE_URL'],
  ['Missing required environment variable: SENTRY_DSN', 'missing-env', 'variable-not-set', 'SENTRY_DSN'],
  [
    'The api_key client option must be set either by passing api_key to the client or by setting the OPENAI_API_KEY environment variable',
    'missing-env',
    'api-key',
  ],
  [
    'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\n  File "<frozen os>", line 685, in __getitem__\nKeyError: \'HOME_X\'',
    'missing-env',
    'environ-key-error',
    'HOME_X',
  ],
  ['cat: /etc/shadow: Permission denied', 'permission-denied', 'system-permission'],
  ["touch: cannot touch '/x': Read-only file system", 'permission-denied', 'system-permission'],
  ['remote: HTTP 403', 'permission-denied', 'service-permission'],
  [
    "fatal: could not read Username for 'https://example.org': terminal prompts disabled",
    'permission-denied',
    'service-permission',
  ],
  ['curl: (6) Could not resolve host: example.invalid', 'network', 'no-connection'],
  ['curl: (7) Failed to connect to 127.0.0.1 port 9: Connection refused', 'network', 'no-connection'],
  ['Error: connect ECONNREFUSED 127.0.0.1:9', 'network', 'no-connection'],
  ['curl: (22) The requested URL returned error: 503', 'network', 'server-failed'],
  ['curl: (22) The requested URL returned error: 429', 'network', 'server-failed'],
  ['HTTP/1.1 408 Request Timeout', 'network', 'server-failed'],
  ['curl: (22) The requested URL returned error: 404', 'wrong-argument', 'request-refused'],
  ['gh: Not Found (HTTP 404)', 'wrong-argument', 'request-refused'],
  ['ERROR 410: Gone.', 'wrong-argument', 'request-refused'],
  ['HTTP/1.1 409 Conflict', 'other', 'exit-code'],
  ["ls: unrecognized option '--nope'", 'wrong-argument', 'unknown-option', '--nope'],
  ["grep: invalid option -- 'Q'", 'wrong-argument', 'unknown-option', 'Q'],
  ["error: unexpected argument '--nope' found", 'wrong-argument', 'unknown-option', '--nope'],
  ["error: unknown option `nope'\nusage: git status", 'wrong-argument', 'unknown-option', 'nope'],
  ['npm error Missing script: "biuld"', 'wrong-argument', 'unknown-subcommand', 'biuld'],
  ["git: 'stauts' is not a git command. See 'git --help'.", 'wrong-argument', 'unknown-subcommand', 'stauts'],
  ["make: *** No rule to make target 'nope'.  Stop.", 'wrong-argument', 'unknown-subcommand', 'nope'],
  ['cp: missing file operand', 'wrong-argument', 'lacking-argument'],
  [' FAIL  src/a.test.ts > adds\n\n Test Files  1 failed (1)', 'test-failure', 'jest-vitest'],
  ['FAIL src/a.test.js\nTests:       1 failed, 2 passed, 3 total', 'test-failure', 'jest-vitest'],
  [
    '=== FAILURES ===\nFAILED test_a.py::test_x - assert 1 == 2\n=== 1 failed in 0.02s ===',
    'test-failure',
    'pytest',
  ],
  ['--- FAIL: TestAdd (0.00s)\nFAIL\nFAIL\texample.com/a\t0.002s', 'test-failure', 'go-test'],
  ['test result: FAILED. 0 passed; 1 failed; 0 ignored', 'test-failure', 'cargo-test'],
  ['not ok 1 - adds\n# tests 1\n# fail 1', 'test-failure', 'tap'],
  // The runner's summary decides, whatever made its tests fail.
  ['Error: ENOENT: no such file or directory\n\n Test Files  2 failed (2)', 'test-failure', 'jest-vitest'],
  [
    'error: patch failed: a.txt:1\nerror: a.txt: patch does not apply',
    'edit-mismatch',
    'patch-does-not-apply',
  ],
  ['Command timed out after 2m 0s', 'timeout', 'command-timeout'],
  ["src/a.ts(1,7): error TS2322: Type 'string' is not assignable", 'other', 'build-failed'],
  ["a.ts(1,1): error TS2307: Cannot find module 'x' or its types", 'other', 'build-failed', 'x'],
  ['a.ts(1,1): error TS2554: Expected 2 arguments, but got 1.', 'other', 'build-failed'],
  ['a.ts(1,1): error TS2322: x\nnpm error Test failed. See above.', 'other', 'build-failed'],
  ['npm ERR! Test failed.  See above for more details.', 'test-failure', 'npm-test'],
  ['# a/b\n./b.go:4:2: undefined: foo\nFAIL\ta/b [build failed]\nFAIL', 'other', 'build-failed'],
  ['FAIL\ta/b [build failed]\n--- FAIL: TestC (0.00s)\nFAIL\ta/c\t0.002s', 'test-failure', 'go-test'],
  ['FAIL\ta/b [build failed]\npanic: x\nFAIL\ta/c\t0.002s', 'test-failure', 'go-test'],
  ['error[E0425]: x\nerror: could not compile `a` (lib test) due to 1 error', 'other', 'build-failed'],
  ['a.c:1:2: error: expected expression\nmake: *** [Makefile:2: test] Error 1', 'other', 'build-failed'],
  [
    'FAIL src/a.test.ts\n  ● Test suite failed to run\n    src/a.ts:1:7 - error TS2322: x\nTest Suites: 1 failed, 1 total\nTests:       0 total',
    'other',
    'suite-not-built',
  ],
  ["ModuleNotFoundError: No module named 'requests'", 'other', 'missing-module', 'requests'],
]

describe('classifies the output of a shell command', () => {
  it.each(shells)('%s', (error, kind, rule, detail) => {
    const found = classify(call({ error: `Exit code 1\n${error}` }))
    expect([found.class, found.rule, found.detail]).toEqual([kind, rule, detail ?? found.detail])
  })
})

const tools: readonly (readonly [tool: string, error: string, ...Expected])[] = [
  [
    'read',
    'Tool "read" not found in registry. Tools must use the exact names',
    'unknown-tool',
    'tool-not-found',
    'read',
  ],
  [
    'Foo',
    '<tool_use_error>Error: No such tool available: Foo</tool_use_error>',
    'unknown-tool',
    'no-such-tool',
    'Foo',
  ],
  ['foo', 'unsupported call: foo', 'unknown-tool', 'unsupported-call', 'foo'],
  [
    'foo',
    "Model tried to call unavailable tool 'foo'. Available tools: bash",
    'unknown-tool',
    'unavailable-tool',
    'foo',
  ],
  ['Read', "params must have required property 'file_path'", 'wrong-argument', 'input-property', 'file_path'],
  [
    'Read',
    'InputValidationError: Read failed due to the following issue:\nThe required parameter `file_path` is missing',
    'wrong-argument',
    'input-schema',
    'file_path',
  ],
  [
    'Bash',
    'failed to parse function arguments: missing field `cmd` at line 1',
    'wrong-argument',
    'input-schema',
    'cmd',
  ],
  [
    'Edit',
    'Failed to edit, 0 occurrences found for old_string in /home/me/a.txt',
    'edit-mismatch',
    'edit-not-found',
  ],
  [
    'Edit',
    'Found 2 matches of the string to replace, but replace_all is false.',
    'edit-mismatch',
    'edit-ambiguous',
  ],
  ['Edit', 'Could not find oldString in the file. It must match exactly', 'edit-mismatch', 'edit-not-found'],
  [
    'Edit',
    'apply_patch verification failed: Failed to find expected lines in /home/me/a.txt:',
    'edit-mismatch',
    'edit-not-found',
  ],
  [
    'Read',
    'File does not exist. Note: your current working directory is /home/me.',
    'wrong-path',
    'file-not-found',
  ],
  ['Read', 'File not found: /home/me/nope.txt', 'wrong-path', 'file-not-found', '/home/me/nope.txt'],
  ['Glob', 'Path is not a directory: /home/me/a.txt', 'wrong-path', 'path-kind'],
  [
    'Write',
    "Claude requested permissions to write to /home/me/a.txt, but you haven't granted it yet.",
    'permission-denied',
    'permission-not-granted',
  ],
  ['Bash', 'The user denied this request.', 'permission-denied', 'refused-by-person'],
  ['Bash', 'The user does not want this to be done.', 'permission-denied', 'refused-by-person'],
  ['Bash', 'User refused permission to run tool', 'permission-denied', 'refused-by-person'],
  ['WebFetch', 'Request failed with status code 503', 'network', 'server-failed'],
  ['WebFetch', 'Request failed with status code 404', 'wrong-argument', 'request-refused'],
]

describe('classifies the error of a CLI', () => {
  it.each(tools)('%s: %s', (tool, error, kind, rule, detail) => {
    const found = classify(call({ tool, error }))
    expect([found.class, found.rule, found.detail]).toEqual([kind, rule, detail ?? found.detail])
  })
})

it('prefers the status to the text', () => {
  const error = 'bash: jq: command not found'
  expect(classify(call({ status: 'denied', error }))).toMatchObject({
    class: 'permission-denied',
    rule: 'denied',
  })
  expect(classify(call({ status: 'timeout', error }))).toMatchObject({ class: 'timeout', rule: 'timed-out' })
  expect(classify(call({ status: 'cancelled', error }))).toMatchObject({ class: 'other', rule: 'cancelled' })
})

it('ignores the command line that Gemini repeats', () => {
  const error =
    'Command: grep "command not found: jq" log\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: 1\nProcess Group PGID: 7'
  expect(classify(call({ error }))).toMatchObject({ class: 'other', rule: 'exit-code', line: 'exit code 1' })
})

it('recognizes a silent test runner by its command line', () => {
  const input = { command: 'cd app && npm test' }
  expect(classify(call({ input, error: 'Exit code 1' }))).toMatchObject({
    class: 'test-failure',
    rule: 'test-command',
  })
  expect(classify(call({ error: 'Exit code 1' }))).toMatchObject({ class: 'other', rule: 'exit-code' })
})

it.each(['cargo test', 'go test ./...', 'npm test', 'make check'])(
  'takes "%s" that did not compile for no test',
  (command) => {
    const error = 'Exit code 1\nerror: could not compile `a` (lib test) due to 1 previous error'
    expect(classify(call({ input: { command }, error }))).toMatchObject({
      class: 'other',
      rule: 'build-failed',
    })
  },
)

it.each<readonly [command: string, exit: number, ...Expected]>([
  ['curl -s http://127.0.0.1:9/', 7, 'network', 'curl-code'],
  ['curl -sf http://nowhere.example/ > a', 6, 'network', 'curl-code'],
  ['curl -s -m 1 http://127.0.0.1/', 28, 'network', 'curl-code'],
  ['wget -q http://127.0.0.1:9/', 4, 'network', 'wget-code'],
  // A server answered, and the answer is unknown.
  ['wget -q http://127.0.0.1:9/', 8, 'other', 'exit-code'],
  ['curl -sf http://127.0.0.1:9/', 22, 'other', 'exit-code'],
  ['command -v jq', 1, 'missing-command', 'silent-lookup', 'jq'],
  ['which rg 2>/dev/null', 1, 'missing-command', 'silent-lookup', 'rg'],
  ['frob -x 2>/dev/null', 127, 'missing-command', 'silent-not-found', 'frob'],
  ['cd a && frob 2>/dev/null', 127, 'missing-command', 'silent-not-found'],
  ['./run 2>/dev/null', 126, 'permission-denied', 'silent-not-executable'],
  ['cat nope.txt 2>/dev/null', 1, 'wrong-path', 'silent-path'],
  ['[ -f nope.txt ]', 1, 'wrong-path', 'silent-path'],
  ['grep x a.txt', 1, 'other', 'exit-code'],
  ['cat a.txt | grep x', 1, 'other', 'exit-code'],
])('classifies a silent "%s" by its exit code', (command, exit, kind, rule, detail) => {
  expect(classify(call({ input: { command }, error: `Exit code ${exit}` }))).toEqual({
    class: kind,
    rule,
    ...(detail === undefined ? {} : { detail }),
    line: `exit code ${exit}`,
  })
})

it('shows the last line of long output that mentions a failure', () => {
  const output = [
    'Building…',
    'step 1',
    'fatal: the frobnicator is out of oil',
    '    at run (a.js:1:2)',
    'Node.js v20.1.0',
  ]
  expect(classify(call({ error: `Exit code 1\n${output.join('\n')}` })).line).toBe(output[2])
  expect(classify(call({ error: 'Exit code 1\none\ntwo\nthree' })).line).toBe('three')
})

it.each([
  ['Invalid depth parameter', 'depth'],
  ['Error: query is required', 'query'],
  ['MCP error -32603: "owner" is required', 'owner'],
  ['Missing field: repo', 'repo'],
  ['Unknown entity type', 'entity'],
])('takes "%s" of a tool for a wrong argument', (error, detail) => {
  expect(classify(call({ tool: 'mcp__lab__find', error }))).toMatchObject({ class: 'wrong-argument', detail })
})

it('classifies a call without text', () => {
  expect(classify(call({ status: 'error' }))).toEqual({ class: 'other', rule: 'none', line: '' })
})

it('has rules with known classes and unique names', () => {
  const ids = rules.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(rules.filter((rule) => !failureClasses.includes(rule.class))).toEqual([])
})

it('stays fast on long output that matches no rule', () => {
  const error = `Exit code 1\n${'a: b/c "d" e=1 \'f\' ERROR_X set the '.repeat(2_000)}`
  expect(classify(call({ error })).rule).toBeTypeOf('string')
})
