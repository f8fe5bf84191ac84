import type { EventRecord, Usage } from '@remora/protocol'
import { expect, it } from 'vitest'
import type { Bench } from './engine.test-data.ts'
import { Story, start } from './story.test-data.ts'

const day = 86_400_000

export function testUsage(bench: Bench): void {
  it('is empty without usage', async () => {
    const ledger = await bench.open()
    expect(await ledger.usage()).toEqual([])
    expect(await ledger.usage({ by: ['day', 'model'] })).toEqual([])
  })

  it('adds usage, and replaces that of a message reported again', async () => {
    const ledger = await bench.open()
    const story = new Story()
    await ledger.append([
      ...spend(story, 'm1', { inputTokens: 10, outputTokens: 1, cachedTokens: 4, cacheWriteTokens: 2 }),
      ...spend(story, 'm1', { inputTokens: 10, outputTokens: 5, cachedTokens: 4, cacheWriteTokens: 2 }),
      ...spend(
        story,
        'm2',
        { inputTokens: 1, thoughtTokens: 7, toolTokens: 3, totalTokens: 11 },
        { costUsd: 0.5 },
      ),
    ])
    const usage = {
      inputTokens: 11,
      outputTokens: 5,
      totalTokens: 11,
      cachedTokens: 4,
      cacheWriteTokens: 2,
      thoughtTokens: 7,
      toolTokens: 3,
    }
    expect(await ledger.usage()).toEqual([{ usage, costUsd: 0.5 }])
    expect((await ledger.session(story.key))?.usage).toEqual(usage)
  })

  it('never adds scopes or channels', async () => {
    const ledger = await bench.open()
    const live = new Story({ channel: 'headless', source: 'run' })
    const file = new Story()
    await ledger.append(spend(live, 'run', { inputTokens: 1000 }, { scope: 'run' }))
    expect(await ledger.usage()).toEqual([{ usage: { inputTokens: 1000 } }])
    await ledger.append(spend(live, 'turn', { inputTokens: 500 }, { scope: 'turn' }))
    expect(await ledger.usage()).toEqual([{ usage: { inputTokens: 500 } }])
    await ledger.append([...spend(live, 'a', { inputTokens: 70 }), ...spend(live, 'b', { inputTokens: 7 })])
    expect(await ledger.usage()).toEqual([{ usage: { inputTokens: 77 } }])
    await ledger.append([...spend(file, 'a', { inputTokens: 60 }), ...spend(file, 'b', { inputTokens: 6 })])
    await ledger.append(spend(file, 'sub', { inputTokens: 1 }, { parent: 'task' }))
    expect(await ledger.usage()).toEqual([{ usage: { inputTokens: 67 } }])
    expect((await ledger.session(file.key))?.usage).toEqual({ inputTokens: 67 })
  })

  it('counts a message that a fork copied once, and other messages with the same id separately', async () => {
    const ledger = await bench.open()
    const [one, fork] = [new Story(), new Story({ session: 'fork' })]
    await ledger.append([
      ...spend(one, 'm1', { inputTokens: 10 }),
      ...spend(one, 'm2', { inputTokens: 20 }),
      ...spend(fork, 'm1', { inputTokens: 10 }),
      ...spend(fork, 'm2', { inputTokens: 20 }),
      ...spend(fork, 'm3', { inputTokens: 40 }),
      // A session whose agent numbers its messages, and another agent.
      ...spend(new Story({ session: 'far' }), 'm2', { inputTokens: 300 }, { at: start + day }),
      ...spend(new Story({ agent: 'gemini' }), 'm1', { inputTokens: 1000 }),
    ])
    expect(await ledger.usage()).toEqual([{ usage: { inputTokens: 1370 } }])
    expect(await ledger.usage({ by: ['session'] })).toEqual([
      { agent: 'gemini', session: 'one', usage: { inputTokens: 1000 } },
      { agent: 'claude', session: 'far', usage: { inputTokens: 300 } },
      { agent: 'claude', session: 'fork', usage: { inputTokens: 40 } },
      { agent: 'claude', session: 'one', usage: { inputTokens: 30 } },
    ])
    // The summary of a session includes the copied messages.
    expect((await ledger.session(fork.key))?.usage).toEqual({ inputTokens: 70 })
  })

  it('returns the same by millisecond and by day, also after more usage and after a session is forgotten', async () => {
    const ledger = await bench.open()
    const [one, fork] = [new Story(), new Story({ session: 'fork' })]
    const same = async (): Promise<unknown> => {
      const by = ['day', 'session', 'model'] as const
      const usage = await ledger.usage({ by })
      // A bound within a quarter of an hour.
      expect(await ledger.usage({ by, since: 1 })).toEqual(usage)
      return (await ledger.usage())[0]?.usage
    }
    await ledger.append([
      ...spend(one, 'm', { inputTokens: 5 }, { model: 'x' }),
      ...spend(fork, 'm', { inputTokens: 5 }, { model: 'x' }),
      ...spend(one, 'n', { inputTokens: 1 }, { model: 'y' }),
    ])
    expect(await same()).toEqual({ inputTokens: 6 })
    await ledger.append(spend(one, 'n', { inputTokens: 3 }, { model: 'y' }))
    expect(await same()).toEqual({ inputTokens: 8 })
    await ledger.forget(one.key)
    expect(await same()).toEqual({ inputTokens: 5 })
  })

  it('groups by local day, agent, model and project', async () => {
    const ledger = await bench.open()
    const claude = new Story()
    const gemini = new Story({ agent: 'gemini' })
    const midnight = Date.UTC(2026, 4, 18)
    await ledger.append([
      ...claude.record({ type: 'session', entity: 's', cwd: '/work' }),
      ...spend(claude, 'a', { inputTokens: 1 }, { at: midnight - 1, model: 'opus' }),
      ...spend(claude, 'b', { inputTokens: 2 }, { at: midnight, model: 'opus' }),
      ...spend(claude, 'c', { inputTokens: 4 }, { at: midnight + day, model: 'haiku' }),
      ...spend(gemini, 'd', { inputTokens: 8 }, { at: midnight }),
    ])
    const tokens = async (query: object): Promise<unknown[][]> =>
      (await ledger.usage(query)).map(({ usage, ...group }) => [...Object.values(group), usage.inputTokens])
    expect(await tokens({ by: ['day'] })).toEqual([
      ['2026-05-17', 1],
      ['2026-05-18', 10],
      ['2026-05-19', 4],
    ])
    expect(await tokens({ by: ['day'], utcOffset: 120 })).toEqual([
      ['2026-05-18', 11],
      ['2026-05-19', 4],
    ])
    expect(await tokens({ by: ['day'], utcOffset: -1 })).toEqual([
      ['2026-05-17', 11],
      ['2026-05-18', 4],
    ])
    expect(await tokens({ by: ['agent'] })).toEqual([
      ['gemini', 8],
      ['claude', 7],
    ])
    expect(await tokens({ by: ['model'] })).toEqual([[8], ['haiku', 4], ['opus', 3]])
    expect(await tokens({ by: ['project'] })).toEqual([[8], ['/work', 7]])
    expect(await tokens({ by: ['day', 'agent', 'model'], agent: 'claude' })).toEqual([
      ['2026-05-17', 'claude', 'opus', 1],
      ['2026-05-18', 'claude', 'opus', 2],
      ['2026-05-19', 'claude', 'haiku', 4],
    ])
    expect(await tokens({ cwd: '/work', since: midnight, until: midnight + day })).toEqual([[2]])
  })

  it('uses the model of the session if a message has none', async () => {
    const ledger = await bench.open()
    const story = new Story()
    await ledger.append([
      ...story.record({ type: 'session', entity: 's', model: 'flash' }),
      ...spend(story, 'a', { inputTokens: 1 }),
      ...spend(story, 'b', { inputTokens: 2 }, { model: 'pro' }),
    ])
    expect(await ledger.usage({ by: ['model'] })).toEqual([
      { model: 'pro', usage: { inputTokens: 2 } },
      { model: 'flash', usage: { inputTokens: 1 } },
    ])
  })

  it('splits a run by model', async () => {
    const ledger = await bench.open()
    const live = new Story({ channel: 'headless', source: 'run' })
    const models = { opus: { inputTokens: 6 }, haiku: { inputTokens: 3, outputTokens: 1 } }
    await ledger.append([
      ...spend(live, 'run 1', { inputTokens: 9, outputTokens: 1 }, { scope: 'run', models, costUsd: 2 }),
      ...spend(
        live,
        'run 2',
        { inputTokens: 5 },
        { scope: 'run', models: { opus: { inputTokens: 5 } }, costUsd: 1 },
      ),
    ])
    expect(await ledger.usage()).toEqual([{ usage: { inputTokens: 14, outputTokens: 1 }, costUsd: 3 }])
    expect(await ledger.usage({ by: ['model'] })).toEqual([
      { model: 'opus', usage: { inputTokens: 11 }, costUsd: 1 },
      { model: 'haiku', usage: { inputTokens: 3, outputTokens: 1 } },
      { usage: {}, costUsd: 2 },
    ])
  })
}

interface More {
  scope?: 'message' | 'turn' | 'run'
  at?: number
  model?: string
  models?: Record<string, Usage>
  costUsd?: number
  parent?: string
}

function spend(story: Story, entity: string, usage: Usage, more: More = {}): EventRecord[] {
  return story.record({ type: 'usage', entity, scope: 'message', usage, ...more })
}
