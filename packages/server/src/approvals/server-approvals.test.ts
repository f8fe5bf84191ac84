import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isWaitedFor, ledgerAsks } from '@remora/intake'
import { describe, expect, it, vi } from 'vitest'
import { getLocalPerson } from '../security/people.ts'
import { Stage, ask, key, yes } from './approvals.test-data.ts'
import { ServerApprovals } from './server-approvals.ts'

const never = () => new AbortController().signal
const soon = { timeout: 30_000 }

describe('an ask of this process', () => {
  it('is listed for every client, and its answer is delivered once and reported at once', async () => {
    await using stage = await Stage.open()
    const { approvals, ledger, other, effects } = stage
    await approvals.open(key, ask, stage.effect)
    await approvals.open(key, ask, stage.effect)
    expect(await approvals.pending()).toEqual([{ ...key, ask }])
    expect(await approvals.pending({ ...key, session: 'two' })).toEqual([])
    expect(await isWaitedFor(other, ask.id)).toBe(true)
    expect(stage.changes).toEqual([{ type: 'ask', ...key, ask }])
    expect(await approvals.answer(key, yes)).toEqual({ won: true, answer: yes, effect: 'done' })
    expect(await approvals.answer(key, { ...yes, option: 'no' })).toEqual({ won: false, answer: yes })
    expect(effects).toEqual([yes])
    expect(stage.changes.slice(1)).toEqual([{ type: 'settled', ...key, answer: yes }])
    expect(await approvals.pending()).toEqual([])
    expect(await isWaitedFor(other, ask.id)).toBe(false)
    expect(await stage.events()).toEqual(['ask', 'answer'])
    expect(await ledger.audit.read()).toMatchObject([{ what: 'answer', detail: { ask, answer: yes } }])
  })

  it('delivers an answer that is given while it is being opened', async () => {
    await using stage = await Stage.open()
    const { approvals, ledger } = stage
    const { open } = ledger.asks
    vi.spyOn(ledger.asks, 'open').mockImplementationOnce(async (...about) => {
      await open(...about)
      await approvals.answer(key, yes)
    })
    await approvals.open(key, ask, stage.effect)
    await expect.poll(() => stage.effects, soon).toEqual([yes])
    expect(await approvals.pending()).toEqual([])
  })

  it('refuses invalid answers', async () => {
    await using stage = await Stage.open()
    const { approvals } = stage
    await approvals.open(key, ask, stage.effect)
    const wrong = [
      [{ ...yes, digest: 'other' }, 'conflict'],
      [{ ...yes, option: 'maybe' }, 'usage'],
      [{ ...yes, text: 'a text' }, 'usage'],
      [{ ask: ask.id, by: 'person', digest: 'shown' } as const, 'usage'],
      [{ ...yes, ask: 'nothing' }, 'not_found'],
    ] as const
    for (const [answer, code] of wrong)
      await expect(approvals.answer(key, answer)).rejects.toMatchObject({ code })
    expect(stage.effects).toEqual([])
    expect(stage.types()).toEqual(['ask'])
    const open = { ...ask, id: 'l-1/ask/1', freeText: true }
    await approvals.open(key, open, stage.effect)
    const answer = { ask: open.id, text: 'Use the other', by: 'person', digest: 'shown' } as const
    expect(await approvals.answer(key, answer)).toMatchObject({ won: true, effect: 'done' })
  })

  it('delivers an answer that another process gave', async () => {
    await using stage = await Stage.open()
    await stage.approvals.open(key, ask, stage.effect)
    await stage.other.asks.answer(key, yes)
    await expect.poll(() => stage.effects, soon).toEqual([yes])
    await expect.poll(() => stage.types(), soon).toEqual(['ask', 'settled'])
    await expect.poll(() => stage.events(), soon).toEqual(['ask', 'answer'])
  })

  it('delivers nothing after an answer at the keyboard', async () => {
    await using stage = await Stage.open()
    await stage.approvals.open(key, ask, stage.effect)
    await stage.approvals.settle(key, ask.id, { by: 'terminal', option: 'no' })
    const answer = { ask: ask.id, by: 'terminal', option: 'no', digest: 'shown' }
    expect(stage.changes.at(-1)).toEqual({ type: 'settled', ...key, answer })
    expect(await stage.approvals.answer(key, yes)).toEqual({ won: false, answer })
    expect(stage.effects).toEqual([])
    await stage.approvals.settle(key, ask.id, { by: 'terminal' })
    await stage.approvals.settle(key, 'unknown', { by: 'terminal' })
    expect(stage.types()).toEqual(['ask', 'settled'])
  })

  it('records an answer that came too late to be delivered', async () => {
    await using stage = await Stage.open()
    const { approvals, ledger } = stage
    await approvals.open(key, ask, async () => 'gone')
    expect(await approvals.answer(key, yes)).toEqual({ won: true, answer: yes, effect: 'gone' })
    const broken = { ...ask, id: 'l-1/ask/1' }
    await approvals.open(key, broken, () => Promise.reject(new Error('no such pane')))
    const answer = { ...yes, ask: broken.id }
    expect(await approvals.answer(key, answer)).toMatchObject({ won: true, effect: 'gone' })
    expect(
      stage.changes.filter((change) => change.type === 'settled' && change.effect === 'gone'),
    ).toHaveLength(2)
    const audit = await ledger.audit.read()
    expect(audit.map(({ what }) => what)).toEqual(['answer', 'not carried', 'answer', 'not carried'])
    expect(audit[3]).toMatchObject({ detail: { ask: broken.id, why: 'no such pane' } })
    expect(await stage.events()).toEqual(['ask', 'answer', 'error', 'ask', 'answer', 'error'])
    expect(await ledger.audit.verify()).toEqual({ entries: 4 })
  })

  it('is replaced when its id shows another dialog', async () => {
    await using stage = await Stage.open()
    const changed = { ...ask, title: 'Run rm?', digest: 'changed' }
    await stage.approvals.open(key, ask, () => Promise.reject(new Error('never')))
    await stage.approvals.open(key, changed, stage.effect)
    await expect(stage.approvals.answer(key, yes)).rejects.toMatchObject({ code: 'conflict' })
    await stage.approvals.answer(key, { ...yes, digest: 'changed' })
    expect(stage.effects).toHaveLength(1)
    expect(stage.changes.at(-1)).toMatchObject({ type: 'settled', answer: { digest: 'changed' } })
    await expect.poll(() => isWaitedFor(stage.other, ask.id), soon).toBe(false)
  })

  it('is continued by the next server, also if it was answered between the two', async () => {
    await using stage = await Stage.open()
    const { ledger, other } = stage
    const first = new ServerApprovals({ ledger: other, log: () => {} })
    await first.open(key, ask, () => Promise.reject(new Error('the first server is gone')))
    await first.close()
    expect(await stage.approvals.pending()).toEqual([])
    await stage.approvals.open(key, ask, stage.effect)
    expect(await stage.approvals.pending()).toHaveLength(1)
    await stage.approvals.answer(key, yes)
    expect(stage.effects).toEqual([yes])
    // Answered while no server ran, and still shown.
    const second = { ...ask, id: 'l-1/ask/1' }
    await ledger.asks.open(key, second)
    await ledger.asks.answer(key, { ...yes, ask: second.id })
    await stage.approvals.open(key, second, stage.effect)
    await expect.poll(() => stage.effects, soon).toHaveLength(2)
    expect((await stage.events()).filter((type) => type === 'ask')).toHaveLength(2)
  })
})

describe('an ask of another process', () => {
  it('is reported when it appears and when it is settled, and has no effect here', async () => {
    await using stage = await Stage.open()
    const asked = ledgerAsks(stage.other).ask(ask, { ...key, signal: never() })
    await expect.poll(() => stage.types(), soon).toEqual(['ask'])
    expect(await stage.approvals.pending()).toEqual([{ ...key, ask }])
    expect(await stage.approvals.answer(key, yes)).toEqual({ won: true, answer: yes })
    expect(await asked).toEqual(yes)
    expect(stage.types()).toEqual(['ask', 'settled'])
    const stop = new AbortController()
    const second = { ...ask, id: 'l-2/ask/0' }
    const withdrawn = ledgerAsks(stage.other).ask(second, { ...key, signal: stop.signal })
    await expect.poll(() => stage.types(), soon).toEqual(['ask', 'settled', 'ask'])
    stop.abort(new Error('the turn is over'))
    await expect(withdrawn).rejects.toThrow('the turn is over')
    await expect
      .poll(() => stage.changes.at(-1), soon)
      .toMatchObject({ type: 'settled', answer: { by: 'cancel' } })
  })

  it('is not listed if no process waits for its answer', async () => {
    await using stage = await Stage.open()
    await stage.other.asks.open(key, ask)
    await sleep(100)
    expect(await stage.approvals.pending()).toEqual([])
    expect(stage.changes).toEqual([])
  })

  it('takes an answer only if a process waits for it or returns in time', async () => {
    await using stage = await Stage.open()
    await stage.other.asks.open(key, ask)
    await expect(stage.approvals.answer(key, yes)).rejects.toMatchObject({ code: 'conflict' })
    expect(await stage.ledger.asks.find(key, ask.id)).toEqual({ ask })
    const answering = stage.approvals.answer(key, yes)
    await sleep(200)
    await stage.approvals.open(key, ask, stage.effect)
    expect(await answering).toMatchObject({ won: true, effect: 'done' })
    expect(stage.effects).toEqual([yes])
  })

  it('returns the answer of another client that came first', async () => {
    await using stage = await Stage.open()
    await stage.other.asks.open(key, ask)
    const answering = stage.approvals.answer(key, { ...yes, option: 'no' })
    await stage.other.asks.answer(key, yes)
    expect(await answering).toEqual({ won: false, answer: yes })
  })
})

describe('rules and timeouts', () => {
  it('answer before a person is asked, and the audit log names the rule', async () => {
    await using stage = await Stage.open()
    const rules = [
      { decide: 'allow', command: 'ls *' },
      { decide: 'deny', command: 'rm *' },
    ]
    writeFileSync(join(stage.home, 'policies.json'), JSON.stringify({ rules }))
    await stage.approvals.open(key, ask, stage.effect)
    const removal = { ...ask, id: 'l-1/ask/1', input: { command: 'rm -r x' } }
    await stage.approvals.open(key, removal, stage.effect)
    await expect
      .poll(() => stage.effects.map(({ option, by, device }) => [option, by, device]), soon)
      .toEqual([
        ['yes', 'policy', 'rule 1, allow ls *'],
        ['no', 'policy', 'rule 2, deny rm *'],
      ])
    expect(stage.types()).not.toContain('ask')
    await expect.poll(() => stage.events(), soon).toEqual(['ask', 'answer', 'ask', 'answer'])
    expect((await stage.ledger.audit.read()).map(({ who }) => who)).toEqual([
      `${getLocalPerson()}, policies.json`,
      'policy, rule 1, allow ls *',
      'policy, rule 2, deny rm *',
    ])
  })

  it('are recorded in the audit log once when they change', async () => {
    await using stage = await Stage.open()
    const file = join(stage.home, 'policies.json')
    const rules = [{ decide: 'deny', command: 'rm *' }]
    writeFileSync(file, JSON.stringify({ rules }))
    await Promise.all([stage.approvals.problem(), stage.approvals.problem()])
    // The next server finds them unchanged.
    await stage.approvals.close()
    await using next = new ServerApprovals({ ledger: stage.other, remoraHome: stage.home, log: () => {} })
    await next.problem()
    writeFileSync(file, '{')
    await next.problem()
    rmSync(file)
    await next.problem()
    const entries = await stage.ledger.audit.read()
    expect(entries.map(({ what, who, detail }) => [what, who, detail])).toEqual([
      ['policy', `${getLocalPerson()}, policies.json`, { rules }],
      ['policy', `${getLocalPerson()}, policies.json`, { problem: expect.stringContaining('line 1') }],
      ['policy', `${getLocalPerson()}, policies.json`, { rules: [] }],
    ])
  })

  it('deny a permission request after the timeout, but no question', async () => {
    await using stage = await Stage.open()
    const began = Date.now()
    writeFileSync(join(stage.home, 'policies.json'), '{ "timeoutSeconds": 0.3, /* soon */ }')
    await stage.approvals.open(key, ask, stage.effect)
    const question = { ...ask, id: 'l-1/ask/1', kind: 'question' as const }
    await stage.approvals.open(key, question, stage.effect)
    // Reads the stored ask: on a busy machine it may have expired by now.
    expect((await stage.ledger.asks.find(key, ask.id))?.ask.expiresAt).toBeGreaterThanOrEqual(began + 300)
    await expect.poll(() => stage.effects, soon).toMatchObject([{ option: 'no', by: 'timeout' }])
    expect(await stage.approvals.pending()).toMatchObject([{ ask: { id: question.id } }])
  })

  it('decide nothing and log the error if the file is invalid', async () => {
    await using stage = await Stage.open()
    writeFileSync(join(stage.home, 'policies.json'), '{ "rules": [{ "decide": "allow" }] }')
    await stage.approvals.open(key, ask, stage.effect)
    expect(await stage.approvals.pending()).toHaveLength(1)
    expect(await stage.approvals.problem()).toMatch(/must name a tool, a command or a path/)
    expect(stage.logged.join()).toMatch(/No rule applies.*policies\.json/)
  })
})
