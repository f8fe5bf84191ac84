import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bin, root } from './lib/paths.mjs'

// [file, import, allowed?]: every package.
const cases = [
  ['packages/protocol/src/a.ts', 'zod', true],
  ['packages/protocol/src/a.ts', '@remora/sdk', false],
  ['packages/protocol/src/a.ts', '@remora/testkit', false],
  ['packages/scripted-model/src/a.ts', 'node:http', true],
  ['packages/scripted-model/src/a.ts', '@remora/protocol', false],
  ['packages/sqlite/src/a.ts', '@remora/protocol', true],
  ['packages/sqlite/src/a.ts', '@remora/ledger', false],
  ['packages/sdk/src/a.ts', '@remora/protocol', true],
  ['packages/sdk/src/a.ts', '@remora/sqlite', true],
  ['packages/sdk/src/a.ts', '@remora/ledger', false],
  ['packages/sdk/src/a.ts', '@remora/ledger/sqlite', false],
  ['packages/sdk/src/a.ts', '@remora/testkit', false],
  ['packages/sdk/src/a.ts', '../../protocol/src/index.ts', false],
  ['packages/sdk/src/agents/registry.ts', './gemini/index.ts', true],
  ['packages/sdk/src/agents/gemini/index.ts', '../../contract/agent.ts', true],
  ['packages/sdk/src/agents/gemini/index.ts', '../../process/spawn.ts', true],
  ['packages/sdk/src/agents/gemini/index.ts', './tools.ts', true],
  ['packages/sdk/src/agents/gemini/index.ts', '../claude/index.ts', false],
  ['packages/sdk/src/agents/gemini/index.ts', '../../agents/claude/index.ts', false],
  ['packages/sdk/src/agents/gemini/index.ts', '../../channels/acp/index.ts', false],
  ['packages/sdk/src/agents/gemini/index.ts', '@remora/server', false],
  ['packages/sdk/src/agents/gemini/formats/json.ts', '../tools.ts', true],
  ['packages/sdk/src/agents/gemini/formats/json.ts', '../../claude/tools.ts', false],
  ['packages/sdk/src/channels/acp/index.ts', '../../contract/agent.ts', true],
  ['packages/sdk/src/channels/acp/index.ts', '../../agents/gemini/index.ts', false],
  ['packages/sdk/src/channels/acp/index.ts', '../../api/connect.ts', false],
  ['packages/sdk/src/agents/gemini/hooks.ts', '../../dialects/nested-hooks.ts', true],
  ['packages/sdk/src/agents/gemini/hooks.ts', '../../detect/detect.ts', false],
  ['packages/sdk/src/dialects/a.ts', '../files/paths.ts', true],
  ['packages/sdk/src/dialects/a.ts', '../agents/gemini/tools.ts', false],
  ['packages/sdk/src/contract/a.ts', '../channels/acp/options.ts', false],
  ['packages/ledger/src/a.ts', '@remora/protocol', true],
  ['packages/ledger/src/a.ts', '@remora/sqlite', true],
  ['packages/ledger/src/a.ts', '@remora/sdk', false],
  ['packages/ledger/src/a.ts', '@remora/ledger-postgres', false],
  ['packages/ledger-postgres/src/a.ts', '@remora/ledger', true],
  ['packages/ledger-postgres/src/a.ts', '@remora/ledger/internal', true],
  ['packages/ledger-postgres/src/a.ts', '@remora/sdk', false],
  ['packages/insights/src/a.ts', '@remora/ledger', true],
  ['packages/insights/src/a.ts', '@remora/ledger/internal', false],
  ['packages/insights/src/a.ts', '@remora/sdk', false],
  ['packages/intake/src/a.ts', '@remora/sdk', true],
  ['packages/intake/src/a.ts', '@remora/ledger', true],
  ['packages/intake/src/a.ts', '@remora/server', false],
  ['packages/server/src/a.ts', '@remora/intake', true],
  ['packages/server/src/a.ts', '@remora/ledger-postgres', true],
  ['packages/server/src/a.ts', '@remora/ledger/internal', false],
  ['packages/server/src/a.ts', '@remora/cli', false],
  ['packages/server/src/a.ts', '@remora/sqlite', false],
  ['packages/cli/src/a.ts', '@remora/server', true],
  ['packages/cli/src/a.ts', '@remora/testkit', false],
  ['packages/cli/src/a.test.ts', '@remora/testkit', true],
  ['packages/sdk/src/agents/gemini/gemini.test.ts', '@remora/testkit', true],
  ['apps/web/src/a.ts', '@remora/protocol', true],
  ['apps/web/src/a.ts', '@remora/sdk', false],
]

let folder
const reported = new Set()

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'remora-lint-'))
  copyFileSync(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
  for (const file of new Set(cases.map(([file]) => file))) {
    const imports = cases.filter((entry) => entry[0] === file).map(([, name]) => `import '${name}'\n`)
    write(file, imports.join(''))
  }
  write('promise.ts', 'async function work() {}\nwork()\n')
  write('tsconfig.json', '{ "compilerOptions": { "strict": true, "types": [] } }')
  for (const { code, message, filename } of await lint()) reported.add(`${filename} ${code} ${message}`)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the linter', () => {
  it.each(cases)('%s importing %s: allowed is %s', (file, name, allowed) => {
    const complaint = `${file} eslint(no-restricted-imports) '${name}' import is restricted`
    expect([...reported].some((line) => line.startsWith(complaint))).toBe(!allowed)
  })

  it('reports a promise that is not awaited', () => {
    expect([...reported].join('\n')).toContain('promise.ts typescript(no-floating-promises)')
  })
})

function write(file, text) {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
}

/** The linter's report. It exits with 1 because it found problems. */
async function lint() {
  const run = promisify(execFile)(process.execPath, [bin('oxlint'), '--type-aware', '-f', 'json'], {
    cwd: folder,
  })
  const { stdout } = await run.catch((error) => error)
  return JSON.parse(stdout).diagnostics
}
