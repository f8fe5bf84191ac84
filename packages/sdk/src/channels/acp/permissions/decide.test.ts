import type { Answer, AskBroker } from '@remora/protocol/plain'
import { describe, expect, it } from 'vitest'
import { decide } from './decide.ts'
import { optionsWith, questionWith } from './question.test-data.ts'

const signal = new AbortController().signal
const [always, once, no] = questionWith().ask.options

/** A broker that gives one answer and records its questions. */
function broker(answer: Partial<Answer> | (() => Promise<Answer>)) {
  const asked: Parameters<AskBroker['ask']>[] = []
  const asks: AskBroker = {
    ask: async (...args) => {
      asked.push(args)
      if (typeof answer === 'function') return answer()
      return { ask: args[0].id, digest: args[0].digest, by: 'person', ...answer }
    },
  }
  return { asks, asked }
}

describe('decide in plan mode', () => {
  const planning = { planning: true, permissions: 'auto', signal } as const

  it('refuses changes although they are allowed', async () => {
    const refused = { option: no, by: 'policy', reason: 'Plan mode is read-only' }
    for (const kind of ['edit', 'delete', 'move', 'execute', 'fetch', 'other', undefined])
      expect(await decide({ ...questionWith(), kind: kind! }, planning)).toEqual(refused)
    const { asks, asked } = broker({ option: once!.id })
    expect(await decide({ ...questionWith(), kind: 'edit' }, { ...planning, asks })).toEqual(refused)
    expect(asked).toEqual([])
  })

  it('decides about reads by the permissions', async () => {
    for (const kind of ['read', 'search', 'think'])
      expect(await decide({ ...questionWith(), kind }, planning)).toEqual({ option: once, by: 'policy' })
    const listing = { ...questionWith(), kind: 'execute', command: 'ls -la' }
    expect(await decide(listing, planning)).toEqual({ option: once, by: 'policy' })
    expect(await decide(listing, { ...planning, permissions: 'deny' })).toEqual({ option: no, by: 'policy' })
  })

  it('asks the user before it ends', async () => {
    const leave = { ...questionWith(), kind: 'switch_mode' }
    expect(await decide(leave, planning)).toEqual({
      option: no,
      by: 'policy',
      reason: 'Only a person can end plan mode',
    })
    const { asks, asked } = broker({ option: once!.id })
    expect(await decide(leave, { ...planning, asks })).toMatchObject({ option: once, by: 'person' })
    expect(asked).toHaveLength(1)
  })
})

describe('decide by a policy', () => {
  it('allows once, never always', async () => {
    expect(await decide(questionWith(), { permissions: 'allow', signal })).toEqual({
      option: once,
      by: 'policy',
    })
    const forEver = questionWith({}, { options: optionsWith('allow_always', 'deny') })
    expect(await decide(forEver, { permissions: 'auto', signal })).toEqual({
      option: no,
      by: 'policy',
      reason: expect.stringContaining('only once'),
    })
    const only = questionWith({}, { options: optionsWith('allow_always', 'deny_always') })
    const cancelled = await decide(only, { permissions: 'auto', signal })
    expect(cancelled).toEqual({ by: 'policy', reason: expect.stringContaining('only once') })
  })

  it('refuses once, never always', async () => {
    expect(await decide(questionWith(), { permissions: 'deny', signal })).toEqual({
      option: no,
      by: 'policy',
    })
    const forEver = questionWith({}, { options: optionsWith('allow', 'deny_always') })
    expect((await decide(forEver, { permissions: 'deny', signal })).option).toBeUndefined()
  })

  it('refuses without a broker', async () => {
    expect(await decide(questionWith(), { permissions: 'ask', signal })).toMatchObject({
      option: no,
      by: 'policy',
    })
    expect(await decide(questionWith(), { permissions: { rules: [] }, signal })).toMatchObject({ option: no })
  })

  it('uses the first matching rule, else the default', async () => {
    const { asks, asked } = broker({ option: always?.id ?? '' })
    const permissions = {
      rules: [
        { decide: 'deny', path: 'src/secret/**' },
        { decide: 'allow', path: 'src/**' },
        { decide: 'ask', tool: 'write*' },
      ],
      otherwise: 'deny',
    } as const
    const byPath = async (path: string, native = 'replace') =>
      decide(questionWith({ paths: [path], call: { name: 'Edit', native, input: {} } }), {
        permissions,
        asks,
        signal,
      })
    expect(await byPath('src/a.ts')).toEqual({ option: once, by: 'policy' })
    expect(await byPath('src/secret/a.ts')).toEqual({ option: no, by: 'policy' })
    expect(await byPath('doc/a.md')).toEqual({ option: no, by: 'policy' })
    expect(asked).toEqual([])
    expect(await byPath('doc/a.md', 'write_file')).toEqual({ option: always, by: 'person' })
    expect(asked).toHaveLength(1)
  })

  it('asks by default if no rule matches and there is a broker', async () => {
    const { asks } = broker({ option: 'cancel' })
    const decision = await decide(questionWith(), { permissions: { rules: [] }, asks, signal })
    expect(decision).toEqual({ option: no, by: 'person' })
  })

  it('allows host tools unless a rule names them', async () => {
    const { asks, asked } = broker({ option: 'cancel' })
    const own = questionWith({ host: true, call: { name: 'mcp__remora__clock', native: 'clock', input: {} } })
    for (const permissions of [
      'auto',
      'ask',
      'deny',
      { rules: [{ decide: 'deny' }], otherwise: 'deny' },
    ] as const)
      expect(await decide(own, { permissions, asks, signal })).toEqual({ option: once, by: 'policy' })
    expect(asked).toEqual([])
    const named = { rules: [{ decide: 'deny', tool: 'clock' }], otherwise: 'auto' } as const
    expect(await decide(own, { permissions: named, signal })).toEqual({ option: no, by: 'policy' })
  })
})

describe('decide by asking the user', () => {
  it('passes the exact ask to the broker and returns the chosen option', async () => {
    const { asks, asked } = broker({ option: 'proceed_always', device: 'phone' })
    const question = questionWith()
    const decision = await decide(question, { permissions: 'ask', asks, signal })
    expect(decision).toEqual({ option: always, by: 'person', device: 'phone' })
    expect(asked[0]?.[0]).toBe(question.ask)
    expect(asked[0]?.[1]).toMatchObject({ agent: 'gemini', session: 'session-1' })
    // Clients that still show the question can stop now.
    expect(asked[0]?.[1].signal.aborted).toBe(true)
  })

  it.each([
    [
      { option: 'cancel', text: 'Use the other file' },
      { option: no, text: 'Use the other file', by: 'person' },
    ],
    [
      { option: 'proceed_once', by: 'terminal' as const },
      { option: once, by: 'person' },
    ],
    [
      { option: 'proceed_once', by: 'policy' as const },
      { option: once, by: 'policy' },
    ],
    [{ by: 'cancel' as const }, { by: 'cancel' }],
    [{ option: 'proceed_once', by: 'cancel' as const }, { by: 'cancel' }],
    [{}, { by: 'cancel' }],
    [{ by: 'timeout' as const }, { option: no, by: 'timeout' }],
    [
      { option: 'proceed_once', by: 'timeout' as const },
      { option: no, by: 'timeout' },
    ],
  ])('reads the answer %j', async (answer, decision) => {
    const { asks } = broker(answer)
    expect(await decide(questionWith(), { permissions: 'ask', asks, signal })).toEqual(decision)
  })

  it('accepts free text only if it is offered', async () => {
    const { asks } = broker({ text: 'blue' })
    const free = questionWith({}, { freeText: true })
    expect(await decide(free, { permissions: 'ask', asks, signal })).toEqual({ text: 'blue', by: 'person' })
    expect(await decide(questionWith(), { permissions: 'ask', asks, signal })).toMatchObject({
      by: 'cancel',
      problem: { code: 'input' },
    })
  })

  it.each([
    ['to another ask', { ask: 'connection-1/ask/1', option: 'proceed_once' }, 'conflict'],
    ['to something else shown', { digest: 'digest-2', option: 'proceed_once' }, 'conflict'],
    ['with an option that was not offered', { option: 'proceed_twice' }, 'input'],
    ['by nobody known', { option: 'proceed_once', by: 'me' as 'person' }, 'input'],
  ])('ignores an answer %s', async (_, answer, code) => {
    const { asks } = broker(answer)
    const decision = await decide(questionWith(), { permissions: 'ask', asks, signal })
    expect(decision).toEqual({ by: 'cancel', problem: expect.objectContaining({ code }) })
  })

  it.each([undefined, null, 'yes', []])('does not accept %j as an answer', async (value) => {
    const { asks } = broker(async () => value as unknown as Answer)
    const decision = await decide(questionWith(), { permissions: 'ask', asks, signal })
    expect(decision).toMatchObject({ by: 'cancel', problem: { code: 'input' } })
  })

  it('reports a broker that fails, also synchronously', async () => {
    const later = broker(async () => Promise.reject(new Error('no ledger')))
    const atOnce: AskBroker = {
      ask: () => {
        throw new Error('no ledger')
      },
    }
    for (const asks of [later.asks, atOnce]) {
      const decision = await decide(questionWith(), { permissions: 'ask', asks, signal })
      expect(decision.by).toBe('cancel')
      expect(decision.problem?.message).toContain('no ledger')
    }
  })

  it('is cancelled at once, even if the broker never answers', async () => {
    const { asks, asked } = broker(() => new Promise<Answer>(() => {}))
    const controller = new AbortController()
    const deciding = decide(questionWith(), { permissions: 'ask', asks, signal: controller.signal })
    while (asked.length === 0) await Promise.resolve()
    expect(asked[0]?.[1].signal.aborted).toBe(false)
    controller.abort()
    expect(await deciding).toEqual({ by: 'cancel' })
    expect(asked[0]?.[1].signal.aborted).toBe(true)
    const again = await decide(questionWith(), { permissions: 'auto', signal: controller.signal })
    expect(again).toEqual({ by: 'cancel' })
  })

  it('refuses when the time is up, before and during the ask', async () => {
    const { asks, asked } = broker(() => new Promise<Answer>(() => {}))
    for (const expiresAt of [Date.now() - 1, Date.now() + 30]) {
      const question = questionWith({}, { expiresAt })
      expect(await decide(question, { permissions: 'ask', asks, signal })).toEqual({
        option: no,
        by: 'timeout',
      })
    }
    expect(asked.every(([, { signal }]) => signal.aborted)).toBe(true)
    const far = questionWith({}, { expiresAt: Date.now() + 2 ** 40 })
    const answered = broker({ option: 'proceed_once' })
    expect(await decide(far, { permissions: 'ask', asks: answered.asks, signal })).toEqual({
      option: once,
      by: 'person',
    })
  })
})
