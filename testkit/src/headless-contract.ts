import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Event, Event as EventSchema, fold } from '@remora/protocol'
import { type Agent, type HeadlessFacts, type RunOptions, run } from '@remora/sdk'
import { type LoggedRequest, type Scenario, loadScenario, startScriptedModel } from '@remora/scripted-model'
import { describe, expect, it } from 'vitest'
import { pinned } from './clis.ts'
import { type Home, createHome } from './home.ts'
import { expectStory } from './story.ts'
import { getFacts } from './suite-facts.ts'
import { listTestVersions } from './versions.ts'

/** What each fault of the model is called, whichever CLI it happens to. */
const faults: Readonly<Record<string, string>> = {
  'fault-400': 'input',
  'fault-401': 'auth',
  'fault-403': 'permission',
  'fault-404': 'model_not_found',
  'fault-429': 'rate_limit',
  'fault-quota': 'quota',
  'fault-500': 'overloaded',
  'fault-503': 'overloaded',
  'fault-cut': 'network',
}

/** Text, a call, and text that is interrupted. */
const interruption: Scenario = {
  name: 'interruption',
  title: 'A text that stops in the middle',
  prompt: 'Begin, and do not end.',
  mode: 'bypassPermissions',
  turns: [
    [
      { text: 'Before.', tools: [{ name: 'Bash', input: { command: 'true' } }] },
      { text: ['shown ', 'never ', 'shown'] },
    ],
  ],
}

/**
 * What `run` promises, tried with the real CLI: the same kinds of events, the same codes, and no process left.
 *
 * @example testHeadless(gemini)
 */
export function testHeadless(agent: Agent): void {
  for (const version of listTestVersions(agent.id))
    testRuns(agent, version, getFacts(agent, version, 'headless'))
}

function testRuns(agent: Agent, version: string, { cannot, denialMode = 'default' }: HeadlessFacts): void {
  const streamsText = !cannot.includes('stream text')
  describe(`a headless run of ${agent.title} ${version}`, () => {
    it('answers', async () => {
      await using turn = await takeTurn(agent, version, 'hello')
      turn.expectKinds(['session', 'message', 'text', 'usage', 'done'])
      expect(turn.result.usage.inputTokens).toBeGreaterThan(0)
      expect(turn.result.usage.outputTokens).toBeGreaterThan(0)
    })

    it.each(['/clear the table', '!touch escaped.txt'])('gives the model %j as text', async (prompt) => {
      await using turn = await takeTurn(agent, version, 'hello', { prompt })
      const turns = turn.requests.filter(({ kind }) => kind === 'turn')
      expect(turns.map((request) => request.prompt?.trim())).toContain(prompt)
      expect(await turn.home.files()).not.toContain('escaped.txt')
    })

    it('writes a file', async () => {
      await using turn = await takeTurn(agent, version, 'write-file')
      turn.expectKinds(['session', 'message', 'text', 'tool_use', 'tool_result', 'usage', 'done'])
      expect(turn.result.toolCalls).toBe(1)
      expect(await readFile(join(turn.home.cwd, 'note.txt'), 'utf8')).toBe('hello\nworld\n')
      const calls = turn.events.filter((event) => event.type === 'tool_use')
      expect(calls.map(({ name }) => name)).toEqual(['Write'])
    })

    it('calls two tools at once', async () => {
      await using turn = await takeTurn(agent, version, 'parallel')
      const uses = turn.events.filter((event) => event.type === 'tool_use').map(({ entity }) => entity)
      const results = turn.events.filter((event) => event.type === 'tool_result').map(({ entity }) => entity)
      expect(new Set(uses).size).toBe(2)
      expect(new Set(results)).toEqual(new Set(uses))
    })

    it('goes on after a tool that failed', async () => {
      await using turn = await takeTurn(agent, version, 'read-missing')
      expect(turn.result.ok).toBe(true)
    })

    it.each(['shell', 'edit', 'failing-shell', 'thoughts-only-then-text'])(
      'plays %s to its end',
      async (name) => {
        await using turn = await takeTurn(agent, version, name)
        expect(turn.result).toMatchObject({ ok: true, text: getAnswer(turn.scenario, 0) })
        const calls = turn.scenario.turns[0]!.flatMap(({ tools = [] }) => tools)
        expect(turn.result.toolCalls).toBe(calls.length)
        expect(await turn.home.leftovers()).toEqual([])
      },
    )

    it('is started again where the CLI itself does not try again', async () => {
      await using turn = await takeTurn(agent, version, 'retry-then-ok', {
        retry: { attempts: 3, baseMs: 10 },
      })
      expect(turn.result).toMatchObject({ ok: true, text: getAnswer(turn.scenario, 0) })
    })

    it('resumes a session', async () => {
      const scenario = await loadScenario('two-turns')
      await using model = await startScriptedModel({ scenario })
      await using home = await createHome(agent.id, { version, model })
      const first = await start(agent, home, { prompt: scenario.prompt }).result
      expect(first).toMatchObject({ ok: true, text: getAnswer(scenario, 0) })
      const second = await start(agent, home, { prompt: 'And now?', resume: first.sessionId }).result
      expect(second).toMatchObject({ ok: true, sessionId: first.sessionId, text: getAnswer(scenario, 1) })
    })

    it('keeps prompt and text of a run that is cancelled in mid-answer, and no process', async () => {
      let startHolding = (): void => {}
      const holding = new Promise<void>((resolve) => (startHolding = resolve))
      const hold = (piece: string): Promise<void> | undefined => {
        if (!piece.includes('never')) return undefined
        startHolding()
        return new Promise(() => {})
      }
      await using model = await startScriptedModel({ scenario: interruption, hold })
      await using home = await createHome(agent.id, { version, model })
      const { prompt, mode } = interruption
      const running = start(agent, home, { prompt, ...(mode && { mode }) })
      const events: Event[] = []
      let hear = (): void => {}
      const heard = new Promise<void>((resolve) => (hear = resolve))
      const cancelled = Promise.all([holding, heard]).then(() => running.cancel())
      for await (const event of running) {
        events.push(event)
        if (
          streamsText ? event.type === 'text' && event.text.includes('shown') : event.type === 'tool_result'
        )
          hear()
      }
      await cancelled
      expect(await running.result).toMatchObject({
        ok: false,
        stopReason: 'cancelled',
        error: { code: 'aborted' },
      })
      expect(await home.leftovers()).toEqual([])
      await expectStory(agent, home, events, [
        `user: ${prompt}`,
        'assistant: Before.',
        'call: success',
        ...(streamsText ? ['cut: shown'] : []),
      ])
    })

    // A CLI tries again and again: side by side, since most of that is waiting.
    describe.concurrent('whose model fails', () => {
      it('reports a call that was denied as denied', async () => {
        await using turn = await takeTurn(agent, version, 'write-file', { mode: denialMode })
        expect(await turn.home.files()).not.toContain('note.txt')
        const [before, after] = turn.scenario.turns[0]!.map(({ text }) => [text ?? ''].flat().join(''))
        const lines = [
          `user: ${turn.scenario.prompt}`,
          `assistant: ${before}`,
          'call: denied',
          ...(cannot.includes('continue after a denial') ? [] : [`assistant: ${after}`]),
        ]
        const unseen = cannot.includes('report a denial') ? 'call: denied' : undefined
        await expectStory(agent, turn.home, turn.events, lines, unseen)
      })

      it('is stopped when the model falls silent', async () => {
        await using turn = await takeTurn(agent, version, 'fault-silence', { timeouts: { total: 8_000 } })
        expect(turn.result.error?.code).toBe('timeout_total')
        expect(await turn.home.leftovers()).toEqual([])
      })

      it.each(Object.entries(faults))('meets %s with %s', async (name, code) => {
        const missed =
          (name === 'fault-cut' && cannot.includes('always notice a cut connection')) ||
          (['rate_limit', 'quota', 'overloaded'].includes(code) && cannot.includes('report an overload'))
        const timeouts = { total: 100_000, ...(missed ? { idle: 20_000 } : {}) }
        await using turn = await takeTurn(agent, version, name, { timeouts })
        const { ok, error } = turn.result
        expect(missed ? [code, 'timeout_idle'] : [code], error?.message).toContain(error?.code)
        expect(turn.events.at(-1)).toMatchObject({ type: 'done', ok })
        expect(await turn.home.leftovers()).toEqual([])
        if (name !== 'fault-429') return
        const text = turn.result.text.trim()
        await expectStory(agent, turn.home, turn.events, [
          `user: ${turn.scenario.prompt}`,
          ...(text === '' ? [] : [`assistant: ${text}`]),
        ])
      })
    })
  })
}

interface Turn extends AsyncDisposable {
  readonly events: readonly Event[]
  readonly result: Awaited<ReturnType<typeof run>['result']>
  readonly home: Home
  readonly scenario: Scenario
  readonly requests: readonly LoggedRequest[]
  /** These kinds and no others, the answer of the scenario, and nothing left behind. */
  expectKinds(kinds: readonly Event['type'][]): void
}

async function takeTurn(
  agent: Agent,
  version: string,
  name: string,
  options: Partial<RunOptions> = {},
): Promise<Turn> {
  const scenario = await loadScenario(name)
  const model = await startScriptedModel({ scenario })
  const home = await createHome(agent.id, { version, model })
  const dispose = async (): Promise<void> => {
    await home.remove()
    await model.close()
  }
  try {
    const running = start(agent, home, {
      prompt: scenario.prompt,
      ...(scenario.mode ? { mode: scenario.mode } : {}),
      ...options,
    })
    const events: Event[] = []
    for await (const event of running) events.push(event)
    const result = await running.result
    for (const event of events) EventSchema.parse(event)
    expect(events.filter(({ type }) => type === 'session')).toHaveLength(1)
    expect([events[0]?.type, events.at(-1)?.type]).toEqual(['session', 'done'])
    const expectKinds = (kinds: readonly Event['type'][]): void => {
      const seen = new Set(events.map(({ type }) => type))
      // Whether a CLI tells its thoughts, its state or its messages' heads is its own affair.
      for (const kind of ['thinking', 'status', 'error'] as const) seen.delete(kind)
      expect(seen).toEqual(new Set(kinds))
      expect(result).toMatchObject({ ok: true, text: getAnswer(scenario, 0), exitCode: 0 })
      expect(fold(events).map(({ role }) => role)).toContain('user')
      expect(result.sessionId).not.toBe('')
    }
    return {
      events,
      result,
      home,
      scenario,
      requests: model.requests,
      expectKinds,
      [Symbol.asyncDispose]: dispose,
    }
  } catch (error) {
    await dispose()
    throw error
  }
}

function start(agent: Agent, home: Home, options: RunOptions) {
  return run(agent, {
    ...(home.headless.skipTrust ? { skipTrust: true } : {}),
    cwd: home.cwd,
    ...options,
    env: { ...hidden(), ...home.env, [agent.detection.variable]: pinned(agent.id, home.version).path },
  })
}

/** Nothing of this process's own environment reaches the CLI. */
function hidden(): Record<string, undefined> {
  return Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]))
}

function getAnswer(scenario: Scenario, turn: number): string {
  const text = scenario.turns[turn]?.at(-1)?.text ?? ''
  return typeof text === 'string' ? text : text.join('')
}
