import { join } from 'node:path'
import { type Ledger, openLedger } from '@remora/ledger'
import { type Answer, type Ask, Event } from '@remora/protocol'
import { openSqlite } from '@remora/sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestHome, edit, shell } from '../sessions/home.test-data.ts'

let home: TestHome
let ledger: Ledger
beforeEach(async () => {
  home = new TestHome()
  ledger = await openLedger({ file: join(home.state, 'ledger.db') })
})
afterEach(async () => {
  await ledger.close()
  home[Symbol.dispose]()
})

const key = { agent: 'claude', session: '0a1b2c3d-0000-4000-8000-000000000000' }
const ask: Ask = {
  id: 'l-1/ask/0',
  kind: 'permission',
  title: 'Bash command',
  tool: 'Bash',
  input: { command: 'rm -r build' },
  options: [{ id: 'yes', label: 'Yes', effect: 'allow' }],
  digest: 'shown',
}

async function decide(): Promise<void> {
  await ledger.asks.open(key, ask)
  await ledger.asks.answer(key, {
    ask: ask.id,
    option: 'yes',
    by: 'person',
    device: 'phone of Ann',
    digest: 'shown',
  })
  const detail = { ask: ask.id, title: ask.title }
  await ledger.audit.append({ what: 'not carried', who: 'server', ...key, detail })
  await ledger.audit.append({ what: 'paired', who: 'person', detail: { device: 'phone of Ann' } })
}

describe('remora audit', () => {
  it('reports an empty log', async () => {
    expect(await home.remora(['audit'])).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringMatching(/^No approvals yet\./),
    })
    expect((await home.remora(['audit', '--json'])).json()).toEqual([])
    expect(await home.remora(['audit', '--verify'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^0 entries/),
    })
  })

  it('marks an answer that was inferred, and a request that was withdrawn', async () => {
    const settle = async (id: string, how: Pick<Answer, 'by' | 'inferred'>) => {
      await ledger.asks.open(key, { ...ask, id })
      await ledger.asks.answer(key, { ask: id, digest: 'shown', ...how })
    }
    await settle('l-1/ask/1', { by: 'terminal', inferred: 'allow' })
    await settle('l-1/ask/2', { by: 'terminal', inferred: 'deny' })
    await settle('l-1/ask/3', { by: 'cancel' })
    const { out } = await home.remora(['audit'])
    expect(out.match(/Bash command: .*/g)).toEqual([
      'Bash command: allowed (inferred)',
      'Bash command: denied (inferred)',
      'Bash command: withdrawn',
    ])
    expect(await home.remora(['audit', '--verify'])).toMatchObject({ code: 0 })
  })

  it('prints who decided what, with the full request', async () => {
    await decide()
    const { out, code } = await home.remora(['audit'])
    expect(code).toBe(0)
    const lines = out.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, '(when)').split('\n')
    expect(lines).toEqual([
      '   1  (when)  answer  person, phone of Ann  Claude 0a1b2c3d',
      '      Bash command: Yes',
      '      Command: rm -r build',
      '   2  (when)  not carried  server  Claude 0a1b2c3d',
      '      Bash command: the agent was no longer asking',
      '   3  (when)  paired  person',
      '      {"device":"phone of Ann"}',
      '',
    ])
    const whole = (await home.remora(['audit', '--json'])).json<{ detail: unknown }[]>()
    expect(whole[0]?.detail).toMatchObject({ ask, answer: { option: 'yes' } })
    const some = async (...words: string[]) =>
      (await home.remora(['audit', '--json', ...words]))
        .json<{ number: number }[]>()
        .map(({ number }) => number)
    expect(await some('--session', key.session)).toEqual([1, 2])
    expect(await some('--agent', 'gemini')).toEqual([])
    expect(await some('--limit', '1')).toEqual([3])
    expect(await some('--since', '1h')).toEqual([1, 2, 3])
    expect(await some('--until', '2026-01-01')).toEqual([])
    expect(await home.remora(['audit', '--limit', 'x'])).toMatchObject({ code: 2 })
    expect(await home.remora(['audit', '--session', 'nothing'])).toMatchObject({
      code: expect.not.toSatisfy((c) => c === 0),
    })
  })

  it('detects changes, also by its exit code', async () => {
    await decide()
    const whole = await home.remora(['audit', '--verify'])
    expect(whole).toMatchObject({ code: 0, err: '' })
    expect(whole.out).toMatch(/^3 entries, hash chain intact, last hash [0-9a-f]{64}\n$/)
    const database = openSqlite(join(home.state, 'ledger.db'))
    database.exec(`UPDATE audit SET who = 'policy' WHERE number = 2`)
    database.close()
    const broken = await home.remora(['audit', '--verify'])
    expect(broken).toMatchObject({ code: 1, out: '' })
    expect(broken.err).toMatch(/^remora: The audit log is broken at entry 2: it was changed/)
    const { out, code } = await home.remora(['audit', '--verify', '--json'])
    expect([code, JSON.parse(out)]).toMatchObject([1, { entries: 3, broken: { number: 2 } }])
  })

  it('keeps the chain of a deleted session', async () => {
    await decide()
    await ledger.forget(key)
    expect((await home.remora(['audit'])).out).toContain('(session deleted)')
    expect(await home.remora(['audit', '--verify'])).toMatchObject({ code: 0 })
  })
})

describe('remora audit --unasked', () => {
  const since = ['--since', '2026-10-01']

  it('explains an empty list, and options that need it', async () => {
    expect(await home.remora(['audit', '--unasked'])).toMatchObject({
      code: 0,
      out: '',
      err: 'No tool calls in this time.\n  Look further back: remora audit --unasked --since 30d\n',
    })
    expect((await home.remora(['audit', '--unasked', '--json'])).json()).toEqual([])
    for (const option of [['--all'], ['--cwd', '.']])
      expect(await home.remora(['audit', ...option])).toMatchObject({
        code: 2,
        err: expect.stringMatching(/needs --unasked/),
      })
  })

  it('lists calls by risk, with the command and the reason', async () => {
    await home.add(edit)
    await home.add(shell)
    const { out, code } = await home.remora(['audit', '--unasked', '--all', ...since])
    expect(code).toBe(0)
    expect(out.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, '(when)')).toMatchInlineSnapshot(`
      "Tool calls: 3 ran without your answer, 0 with it, 0 blocked
      Risk: 0 high, 0 medium, 3 low, 0 none

      low     runs a command
              Bash echo oops; exit 3
              (when)  Codex cccc1111  the mode runs everything

      low     changes files
              Edit plan.txt
              (when)  Gemini bbbb1111  no answer was seen

      low     changes files
              Write plan.txt
              (when)  Gemini bbbb1111  no answer was seen
      "
    `)
  })

  it('leaves out what a person decided, and names the mode and the rule', async () => {
    await home.add(shell)
    const list = async () =>
      (await home.remora(['audit', '--unasked', '--json', ...since])).json<Record<string, unknown>[]>()
    const [call] = await list()
    const about = { agent: 'codex', session: shell.id }
    const settle = async (id: string, how: Pick<Answer, 'by' | 'device'>) => {
      await ledger.asks.open(about, { ...ask, id, toolUse: String(call!['call']) })
      const chosen = how.by === 'cancel' ? {} : { option: 'yes' }
      await ledger.asks.answer(about, { ask: id, digest: 'shown', ...chosen, ...how })
    }
    // A request that was withdrawn is no decision, and does not hide the one that follows.
    await settle('withdrawn', { by: 'cancel' })
    expect(await list()).toMatchObject([{ reason: 'bypass' }])
    await settle('rule', { by: 'policy', device: 'rule 1, allow Bash' })
    expect(await list()).toMatchObject([{ reason: 'rule', rule: 'rule 1, allow Bash' }])
    await settle('person', { by: 'person' })
    expect(await list()).toEqual([])
    const { out } = await home.remora(['audit', '--unasked', ...since])
    expect(out).toMatch(/^Tool calls: 0 ran without your answer, 1 with it, 0 blocked\n/)
  })

  it('shows why a call was blocked', async () => {
    const at = Date.UTC(2026, 9, 2)
    const events = [
      { type: 'message', entity: 'm1', role: 'user', content: [{ type: 'text', text: 'Clean up.' }] },
      { type: 'tool_use', entity: 'c1', name: 'Bash', input: { command: 'git push\u001b[2J' } },
      { type: 'tool_result', entity: 'c1', status: 'denied', content: 'Blocked by the classifier:\npush' },
    ].map((fields, index) => ({
      ...fields,
      agent: key.agent,
      session: key.session,
      at: at + index,
      origin: { channel: 'hooks', source: 'test', key: String(index) },
    }))
    await ledger.append([{ events: events.map((event) => Event.parse(event)) }])
    const { out } = await home.remora(['audit', '--unasked', ...since])
    expect(out).toContain('Tool calls: 0 ran without your answer, 0 with it, 1 blocked')
    expect(out).toContain('Bash git push⟨U+001B⟩[2J')
    expect(out).toContain('Blocked by the classifier:↵push')
    expect(out).not.toContain('more. Show them')
    await home.add(edit)
    const short = await home.remora(['audit', '--unasked', '--all', '--limit', '1', ...since])
    expect(short.out).toContain('\n1 more. Show them: --limit 2\n')
  })
})
