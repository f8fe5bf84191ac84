import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ledgerAsks } from '@remora/intake'
import { type Ledger, openLedger } from '@remora/ledger'
import type { Ask, AskedCall } from '@remora/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, key } from './approvals.test-data.ts'
import { Policies, type PolicyRule, createPolicyAsks, decideByRules } from './policies.ts'
import { PolicyFile, getPolicyPath, parsePolicies } from './policy-file.ts'

let folder = ''
let cwd = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'remora-policies-'))
  cwd = join(folder, 'work')
  mkdirSync(join(cwd, 'src'), { recursive: true })
  mkdirSync(join(folder, 'secret'))
  symlinkSync(join(folder, 'secret'), join(cwd, 'src/out'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const option = async (rules: PolicyRule[], fields: Partial<Ask>, agent = 'claude') => {
  const policies = Policies.parse({ rules })
  return (await decideByRules(policies, { ...ask, ...fields }, { agent, session: 's', cwd })).rule?.option
}
const runs = (command: string): Partial<Ask> => ({ tool: 'Bash', input: { command } })
const writes = (file_path: string): Partial<Ask> => ({ tool: 'Write', input: { file_path, content: 'x' } })

describe('a rule', () => {
  const npm: PolicyRule = { decide: 'allow', command: 'npm *' }

  it('allows one plain command that matches, and only once', async () => {
    expect(await option([npm], runs('npm test'))).toBe('yes')
    expect(await option([npm], runs('yarn test'))).toBeUndefined()
    const always = ask.options.filter(({ id }) => id !== 'yes')
    expect(await option([npm], { ...runs('npm test'), options: always })).toBeUndefined()
  })

  it.each([
    'npm test && rm -rf .',
    'npm test; id',
    'npm test | sh',
    'npm test & id',
    'npm test $(id)',
    'npm test `id`',
    'npm test > ~/.profile',
    'npm test\nid',
    'npm test <(id)',
  ])('allows nothing but the command itself: %j', async (command) => {
    expect(await option([npm], runs(command))).toBeUndefined()
    expect(await option([{ decide: 'allow', command: '*' }], runs(command))).toBeUndefined()
    expect(await option([{ decide: 'allow', tool: 'Bash' }], runs(command))).toBeUndefined()
    expect(await option([{ decide: 'allow', tool: '*' }], runs(command))).toBeUndefined()
  })

  it('denies a command with any part that matches, and wins over every rule that allows', async () => {
    const rules: PolicyRule[] = [
      { decide: 'allow', command: '*' },
      { decide: 'deny', command: 'rm *' },
    ]
    for (const list of [rules, rules.toReversed()]) {
      expect(await option(list, runs('ls'))).toBe('yes')
      expect(await option(list, runs('rm -r x'))).toBe('no')
      expect(await option(list, runs('cd a && sudo rm -r x'))).toBe('no')
    }
  })

  it('follows links and .. before it allows a path', async () => {
    const inside: PolicyRule[] = [{ decide: 'allow', tool: 'Write', path: 'src/**' }]
    expect(await option(inside, writes('src/a.ts'))).toBe('yes')
    expect(await option(inside, writes(`${cwd}/src/deep/../a.ts`))).toBe('yes')
    for (const path of [
      'src/../a.ts',
      '../secret/a',
      'src/out/a',
      `${folder}/secret/a`,
      '/etc/passwd',
      'src/../../x',
    ])
      expect(await option(inside, writes(path)), path).toBeUndefined()
    expect(await option([{ decide: 'deny', path: '**/.env' }], writes('/home/me/.env'))).toBe('no')
    const everywhere = Policies.parse({ rules: [{ decide: 'allow', path: '**' }] })
    const unknown = await decideByRules(
      everywhere,
      { ...ask, ...writes('src/a') },
      { agent: 'claude', session: 's' },
    )
    expect(unknown.rule).toBeUndefined()
  })

  it('allows only an exact call, and denies by any text of the dialog', async () => {
    const { exact: _, ...seen } = ask
    const policies = Policies.parse({ rules: [npm, { decide: 'deny', command: 'rm *' }] })
    const about = { agent: 'gemini', session: 's', cwd }
    const decide = async (fields: Partial<Ask>) =>
      (await decideByRules(policies, { ...seen, ...fields }, about)).rule
    expect(await decide(runs('npm test'))).toBeUndefined()
    expect(await decide(runs('rm x'))).toMatchObject({
      option: 'no',
      by: 'policy',
      device: 'rule 2, deny rm *',
    })
    expect(await option([npm], { tool: undefined, input: { command: 'npm test' } })).toBeUndefined()
  })

  it('applies to its agents and to permission requests only', async () => {
    const gemini: PolicyRule[] = [{ ...npm, agent: ['gemini', 'codex'] }]
    expect(await option(gemini, runs('npm test'))).toBeUndefined()
    expect(await option(gemini, runs('npm test'), 'codex')).toBe('yes')
    for (const kind of ['question', 'plan', 'trust', 'dialog'] as const)
      expect(await option([npm, { decide: 'deny' }], { ...runs('npm test'), kind })).toBeUndefined()
  })
})

describe('the rules file', () => {
  it.each([
    ['{ "rules": [', /line 1/],
    ['{ "rule": [] }', /Unrecognized key/],
    ['{ "rules": [{ "decide": "perhaps", "tool": "Bash" }] }', /decide/],
    ['{ "rules": [{ "decide": "allow" }] }', /must name a tool/],
    ['{ "rules": [{ "decide": "allow", "tool": "Bash", "comand": "ls" }] }', /comand/],
    ['{ "rules": [{ "decide": "allow", "path": "../x" }] }', /\.\./],
    ['{ "rules": [{ "decide": "allow", "command": "npm * && ls" }] }', /can never fit/],
    ['{ "timeoutSeconds": -1 }', /timeoutSeconds/],
    ['[]', /expected object/i],
    ['', /line 1/],
  ])('is refused with a reason: %s', async (text, reason) => {
    await expect(parsePolicies(text)).rejects.toThrow(reason)
  })

  it('may have comments, is read again when it changes, and decides nothing while it is invalid', async () => {
    const logged: string[] = []
    const file = new PolicyFile(getPolicyPath(folder), (_, message) => void logged.push(message))
    expect(await file.load()).toEqual({ rules: [] })
    writeFileSync(
      getPolicyPath(folder),
      '{ // mine\n "rules": [{ "decide": "deny", "tool": "WebFetch" },], }',
    )
    expect((await file.load()).rules).toHaveLength(1)
    writeFileSync(getPolicyPath(folder), '{ broken')
    expect(await file.load()).toEqual({ rules: [] })
    expect(await file.load()).toEqual({ rules: [] })
    expect(file.problem).toMatch(/line 1/)
    expect(logged).toHaveLength(1)
    writeFileSync(getPolicyPath(folder), '{ "timeoutSeconds": 60 }')
    expect(await file.load()).toEqual({ rules: [], timeoutSeconds: 60 })
    expect(file.problem).toBeUndefined()
  })
})

describe('rules for an agent that asks over ACP', () => {
  const withLedger = async (work: (ledger: Ledger) => Promise<void>) => {
    await using place = await openTestLedger()
    await work(place.ledger)
  }
  const call: AskedCall = {
    cwd: '/w',
    name: 'Bash',
    native: 'run_shell_command',
    input: {},
    kind: 'execute',
    paths: [],
    command: 'npm test',
  }
  const { exact: _, tool: _tool, input: _input, ...bare } = ask
  const never = () => new AbortController().signal

  it('answer by the exact call, and the ledger has the answer', () =>
    withLedger(async (ledger) => {
      const asks = createPolicyAsks({ rules: [{ decide: 'allow', command: 'npm *' }] }, ledgerAsks(ledger))
      const answer = await asks.ask(bare, { ...key, call, signal: never() })
      expect(answer).toMatchObject({ option: 'yes', by: 'policy', device: 'rule 1, allow npm *' })
      expect((await ledger.asks.find(key, ask.id))?.answer).toEqual(answer)
      expect(await ledger.audit.read()).toMatchObject([
        { what: 'answer', who: 'policy, rule 1, allow npm *' },
      ])
    }))

  it('leave the decision to a person if none matches, and deny after the timeout', () =>
    withLedger(async (ledger) => {
      const policies = { rules: [], timeoutSeconds: 0.2 }
      const asks = createPolicyAsks(async () => policies, ledgerAsks(ledger))
      const asked = asks.ask(bare, { ...key, call, signal: never() })
      expect(await asked).toMatchObject({ option: 'no', by: 'timeout' })
      const slow = createPolicyAsks({ rules: [] }, ledgerAsks(ledger))
      const second = { ...bare, id: 'l-1/ask/1' }
      const waiting = slow.ask(second, { ...key, call, signal: never() })
      await expect.poll(() => ledger.asks.pending(), { timeout: 30_000 }).toHaveLength(1)
      await ledger.asks.answer(key, { ask: second.id, option: 'yes', by: 'person', digest: 'shown' })
      expect(await waiting).toMatchObject({ option: 'yes', by: 'person' })
    }))
})

describe('a rule for a dialog on a screen', () => {
  /** Claude 2.1.326, whose tip was read as the command. */
  const tip = 'Tip: auto mode handles these prompts for you — choose "switch to auto mode" below'
  const bash: Partial<Ask> = {
    title: 'Do you want to proceed?',
    body: ` Bash command\n ${tip}\n Run shell command\n╌╌╌╌\n touch evil.txt\n╌╌╌╌`,
    exact: undefined,
    tool: 'Bash',
    input: { command: tip, description: 'Run shell command' },
  }

  it('denies a command that the dialog shows anywhere', async () => {
    const deny: PolicyRule = { decide: 'deny', command: 'touch evil*' }
    expect(await option([deny], bash)).toBe('no')
    expect(await option([deny], { ...bash, tool: undefined, input: undefined })).toBe('no')
    expect(await option([{ ...deny, tool: 'Bash' }], { ...bash, tool: undefined, input: undefined })).toBe(
      'no',
    )
    expect(await option([deny], { ...bash, body: 'Bash command\ntouch\n evil.txt' })).toBe('no')
    expect(await option([{ decide: 'deny', command: 'touch good*' }], bash)).toBeUndefined()
  })

  it('denies a path and a tool that the dialog shows', async () => {
    const edit = { ...bash, tool: undefined, input: undefined, body: 'Edit file\nsrc/.env\n1 +x' }
    expect(await option([{ decide: 'deny', path: '**/.env' }], edit)).toBe('no')
    expect(await option([{ decide: 'deny', path: '**/.npmrc' }], edit)).toBeUndefined()
    const mcp = { ...edit, body: 'desk — Make Tool: (MCP)\nname: "f3x.txt"' }
    expect(await option([{ decide: 'deny', tool: 'mcp__desk__make' }], mcp)).toBe('no')
    expect(await option([{ decide: 'deny', tool: 'mcp__desk__drop' }], mcp)).toBeUndefined()
  })

  it('allows nothing by text, and does not read a changed line as a command', async () => {
    expect(await option([{ decide: 'allow', command: 'touch *' }], bash)).toBeUndefined()
    const edit = {
      ...bash,
      tool: 'Edit',
      input: { file_path: 'a.sh' },
      body: 'Edit file\na.sh\n touch evil.txt',
    }
    expect(await option([{ decide: 'deny', command: 'touch evil*' }], edit)).toBeUndefined()
  })
})

export type { Ledger }

/** A new ledger, which goes when it is not needed any more. */
async function openTestLedger(): Promise<{ readonly ledger: Ledger } & AsyncDisposable> {
  const home = mkdtempSync(join(tmpdir(), 'remora-ledger-'))
  const ledger = await openLedger({ file: join(home, 'ledger.db') })
  return {
    ledger,
    async [Symbol.asyncDispose]() {
      await ledger.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
