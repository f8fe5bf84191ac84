import { rm } from 'node:fs/promises'
import { type Event, type Message, fold, getMessageText } from '@remora/protocol'
import { type Agent, run, sessions, usage } from '@remora/sdk'
import { type Scenario, loadScenario, startScriptedModel } from '@remora/scripted-model'
import { describe, expect, it, vi } from 'vitest'
import { pinned } from './clis.ts'
import { createHome } from './home.ts'
import { listTestVersions } from './versions.ts'

/**
 * What `sessions` promises, tried with the real CLI: what it writes is listed, read and watched while it is written,
 * and is the conversation that the model really had.
 *
 * @example testTranscripts(gemini)
 */
export function testTranscripts(agent: Agent): void {
  for (const version of listTestVersions(agent.id)) testSessions(agent, version)
}

function testSessions(agent: Agent, version: string): void {
  describe(`the transcripts of ${agent.title} ${version}`, () => {
    it.each(['hello', 'parallel', 'edit', 'thoughts-only-then-text'])(
      'of %s are the same watched, read, and joined with the run',
      async (name) => {
        await using place = await stage(agent, version, await loadScenario(name))
        const { live, watched, id } = await place.turnWatched()
        const read = await sessions.messages(id, place.where)
        expect(getTexts(read)).toEqual(wordsIn(place.scenario, 1))
        expect(listCalls(read)).toEqual(toolsIn(place.scenario, 1))
        expect(strip(fold(watched))).toEqual(strip(read))
        // What a stream leaves out is completed from here.
        for (const thought of thoughtsIn(place.scenario)) expect(getThinking(read)).toContain(thought)
        // The run's own stream adds nothing but times.
        const joined = fold([...live, ...watched])
        expect(getTexts(joined)).toEqual(getTexts(read))
        expect(listCalls(joined)).toEqual(listCalls(read))
        expect(joined.filter(isPrompt)).toHaveLength(1)
      },
    )

    it('are listed with what they cost, and go on after a resume', async () => {
      await using place = await stage(agent, version, await loadScenario('two-turns'))
      expect(await sessions.list(place.where)).toEqual([])
      const { id } = await place.turnWatched()
      const [prompt, second] = [place.scenario.prompt, 'Go on with turn 2.']
      const listed = await sessions.list(place.where)
      const about = { agent: agent.id, id, firstPrompt: prompt, cwd: place.home.cwd, messages: 2 }
      expect(listed).toMatchObject([about])
      const [first] = await sessions.list({ ...place.where, cwd: place.home.cwd })
      expect(first).toEqual(listed[0])
      expect(first!.usage.inputTokens).toBeGreaterThan(0)
      expect(await usage({ ...place.where, by: ['agent'] })).toEqual([
        { agent: agent.id, usage: first!.usage },
      ])

      await place.start({ prompt: second, resume: id }).result
      const both = await vi.waitFor(
        async () => {
          const messages = await sessions.messages({ agent: agent.id, cwd: place.home.cwd }, place.where)
          expect(getTexts(messages)).toEqual(wordsIn(place.scenario, 2))
          return messages
        },
        { timeout: 60_000, interval: 50 },
      )
      expect(both.filter(isPrompt).map(getMessageText)).toEqual([prompt, second])
      const [again] = await sessions.list(place.where)
      expect(again).toMatchObject({ id, messages: 4 })
      expect(again!.usage.inputTokens).toBeGreaterThan(first!.usage.inputTokens ?? 0)
      await Promise.all(again!.files.map((path) => rm(path)))
      expect(await sessions.list(place.where)).toEqual([])
    })
  })
}

async function stage(agent: Agent, version: string, scenario: Scenario) {
  const model = await startScriptedModel({ scenario })
  const home = await createHome(agent.id, { version, model })
  const env = { ...home.env, [agent.detection.variable]: pinned(agent.id, version).path }
  const where = { home: home.path, env }
  const start = (more: { prompt?: string; resume?: string } = {}) =>
    run(agent, {
      ...home.headless,
      prompt: scenario.prompt,
      mode: scenario.mode,
      cwd: home.cwd,
      env,
      ...more,
    })
  return {
    home,
    scenario,
    where,
    start,
    /** One turn, with somebody watching the session from the moment its id is known. */
    async turnWatched() {
      const stop = new AbortController()
      const running = start()
      const live: Event[] = []
      const watched: Event[] = []
      let watching: Promise<void> | undefined
      for await (const event of running) {
        live.push(event)
        if (event.session === '') continue
        watching ??= (async () => {
          const watch = sessions.watch(event.session, { ...where, from: 'start', signal: stop.signal })
          for await (const told of watch) watched.push(told)
        })()
      }
      const result = await running.result
      expect(result).toMatchObject({ ok: true })
      // The file may be complete a moment after the CLI has ended, and the watcher a moment after that.
      await vi.waitFor(
        async () => {
          const read = await sessions.messages(result.sessionId, where)
          expect(getTexts(read)).toEqual(wordsIn(scenario, 1))
          expect(strip(fold(watched))).toEqual(strip(read))
        },
        { timeout: 60_000, interval: 50 },
      )
      stop.abort()
      await watching
      return { live, watched, id: result.sessionId }
    },
    async [Symbol.asyncDispose]() {
      await model.close()
      await home.remove()
    },
  }
}

/** Messages without the records behind them, of which a watcher sees earlier versions too. */
function strip(messages: readonly Message[]): object[] {
  return messages.map(({ _original, ...message }) => message)
}

function isPrompt({ role, context }: Message): boolean {
  return role === 'user' && !context
}

function getTexts(messages: readonly Message[]): string[] {
  const blocks = messages.filter(({ role }) => role === 'assistant').flatMap(({ content }) => content)
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
}

function listCalls(messages: readonly Message[]): string[] {
  const blocks = messages.flatMap(({ content }) => content)
  return blocks.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []))
}

function getThinking(messages: readonly Message[]): string {
  const blocks = messages.flatMap(({ content }) => content)
  return blocks.map((block) => (block.type === 'thinking' ? block.thinking : '')).join('\n')
}

function thoughtsIn({ turns }: Scenario): string[] {
  return turns.flat().flatMap(({ thoughts = [] }) => thoughts.map(({ subject }) => subject))
}

function wordsIn({ turns }: Scenario, count: number): string[] {
  return turns
    .slice(0, count)
    .flatMap((replies) => replies.flatMap(({ text }) => (text === undefined ? [] : [[text].flat().join('')])))
}

function toolsIn({ turns }: Scenario, count: number): string[] {
  return turns
    .slice(0, count)
    .flatMap((replies) =>
      replies.flatMap(({ tools = [] }) => tools.flatMap((call) => ('name' in call ? [call.name] : []))),
    )
}
