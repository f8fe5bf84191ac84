import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Event, type Message, SessionFold, fold } from '@remora/protocol'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Agent } from '../contract/agent.ts'
import { type AcpMessage, type ToClaude, acpReader } from '../channels/acp/reading/read-update.ts'
import { openInTheMiddle, rename } from '../../../protocol/src/fold/open-in-the-middle.test-data.ts'
import { EventMaker } from '../events/event-maker.ts'
import type { AgentRecord } from '../events/read-record.ts'
import { hookReader as claudeHooks } from './claude/hook-payload.ts'
import { claude } from './claude/index.ts'
import { toClaude as claudeTools } from './claude/tools.ts'
import { hookReader as codexHooks } from './codex/hook-payload.ts'
import { codex } from './codex/index.ts'
import { toClaude as codexTools } from './codex/tools.ts'
import { hookReader as geminiHooks } from './gemini/hook-payload.ts'
import { gemini } from './gemini/index.ts'
import { toClaude as geminiTools } from './gemini/tools.ts'
import type { HookPayloadReader } from '../contract/agent.ts'
import { TestDatabase, readDump, readChanges, withTimes } from './opencode/database.test-data.ts'
import { hookReader as opencodeHooks } from './opencode/hook-payload.ts'
import { opencode } from './opencode/index.ts'
import { toClaude as opencodeTools } from './opencode/tools.ts'
import { getCalls, getTexts } from './streams.test-data.ts'
import { transcriptEvents, wholeScript } from './transcripts.test-data.ts'

interface Subject {
  readonly agent: Agent
  readonly hooks: (maker: EventMaker) => HookPayloadReader
  readonly tools: ToClaude
}

const subjects: readonly Subject[] = [
  { agent: gemini, hooks: geminiHooks, tools: geminiTools },
  { agent: claude, hooks: claudeHooks, tools: claudeTools },
  { agent: codex, hooks: codexHooks, tools: codexTools },
  { agent: opencode, hooks: opencodeHooks, tools: opencodeTools },
]

/** Codex was recorded with no second try. */
const givenUp = /^codex \S+ retry-then-ok$/

const at = Date.UTC(2026, 0, 1)

const cases = subjects.flatMap((subject) => {
  const root = new URL(`./${subject.agent.id}/fixtures/`, import.meta.url)
  return readdirSync(root).flatMap((version) =>
    readdirSync(new URL(`${version}/`, root)).map((scenario) => {
      const folder = new URL(`${version}/${scenario}/`, root)
      return { ...subject, name: `${subject.agent.id} ${version} ${scenario}`, scenario, folder }
    }),
  )
})
type Case = (typeof cases)[number]

it.each(cases.map((each) => [each.name, each] as const))(
  '%s: headless, hooks and transcript tell one story',
  async (_name, recorded) => {
    const sources = [...runs(recorded), hooks(recorded), await transcript(recorded, 'session')]
    expect(firstOtherStory(recorded, sources.map(spread))).toBeUndefined()
  },
)

const inAcp = cases.filter(({ folder }) => existsSync(new URL('acp.jsonl', folder)))
it.each(inAcp.map((each) => [each.name, each] as const))(
  '%s: ACP and transcript tell one story',
  async (_name, recorded) => {
    const sources = [acp(recorded), await transcript(recorded, 'acp-session')]
    expect(firstOtherStory(recorded, sources.map(spread))).toBeUndefined()
  },
)

it.each(subjects.map(({ agent }) => [agent.id, agent] as const))(
  '%s: a session opened at its end has the messages of the whole fold',
  async (_id, agent) => {
    const outcome = { divided: 0, admitted: 0, refused: 0 }
    const scenarios = ['edit', 'parallel', 'two-turns']
    for (const recorded of cases.filter(
      (each) => each.agent === agent && scenarios.includes(each.scenario),
    )) {
      const sources = [...runs(recorded), hooks(recorded), await transcript(recorded, 'session')]
      const events = repeatTurns(sources.map(spread), 4)
      for (const part of [0.6, 0.9]) openInTheMiddle(events, Math.floor(events.length * part), outcome)
    }
    expect(outcome.divided).toBeGreaterThan(0)
    expect(outcome.admitted).toBeGreaterThan(outcome.refused)
  },
)

/** A longer session: the recorded turns again and again, two minutes apart, in the order of their times. */
function repeatTurns(sources: readonly (readonly Event[])[], times: number): Event[] {
  return Array.from({ length: times }, (_, part) =>
    sources
      .flat()
      .sort((a, b) => a.at - b.at)
      .map((event) => ({
        ...rename(event, part),
        at: event.at + part * 120_000,
        origin: { ...event.origin, key: `${event.origin.key}.${part}` },
      })),
  ).flat()
}

/** Checks what the sources tell in order, and returns the first interleaving of them that tells something else. */
function firstOtherStory(recorded: Case, sources: readonly (readonly Event[])[]): unknown {
  const messages = fold(sources.flat())
  const script = wholeScript({ script: findScript(recorded) })
  expect(sources.map(({ length }) => length)).not.toContain(0)
  expect(new Set(sources.flat().map(({ session }) => session)).size).toBe(1)
  if (!recorded.scenario.startsWith('fault-') && !givenUp.test(recorded.name)) {
    expect(getTexts(messages)).toEqual(script.words)
    // Codex has no tool to read with but its shell.
    const tools = script.tools.map((name) => (name === 'Read' && recorded.agent === codex ? 'Bash' : name))
    expect(getCalls(messages).map(([name]) => name)).toEqual(tools)
    const prompts = messages.filter(({ role, context }) => role === 'user' && !context)
    expect(prompts).toHaveLength(findScript(recorded).turns.length)
  }
  const expected = JSON.stringify(messages)
  const check = fc.check(
    fc.property(
      interleavings(sources),
      (events) =>
        JSON.stringify(fold(events)) === expected && JSON.stringify(foldOneByOne(events)) === expected,
    ),
    { numRuns: 12 },
  )
  return check.failed ? (check.counterexample ?? check) : undefined
}

/** The messages that result from the changes that each event reports. */
function foldOneByOne(events: readonly Event[]): Message[] {
  const session = new SessionFold()
  const messages: Message[] = []
  for (const event of events)
    for (const { from, removed, messages: added } of session.apply([event]))
      messages.splice(from, removed, ...added)
  return messages
}

/** The sources mixed in any way that keeps the order of each, and some events told again later. */
function interleavings(sources: readonly (readonly Event[])[]): fc.Arbitrary<Event[]> {
  const total = sources.reduce((sum, { length }) => sum + length, 0)
  const choices = fc.array(fc.record({ source: fc.nat(), again: fc.nat(10) }), {
    minLength: total,
    maxLength: total,
  })
  return choices.map((steps) => {
    const places = sources.map(() => 0)
    const mixed: Event[] = []
    for (const { source, again } of steps) {
      const open = sources.flatMap((events, index) => (places[index]! < events.length ? [index] : []))
      const chosen = open[source % open.length]!
      mixed.push(sources[chosen]![places[chosen]!++]!)
      if (again < 2) mixed.push(mixed[source % mixed.length]!)
    }
    return mixed
  })
}

function findScript({ scenario }: Case) {
  const url = new URL(`../../../scripted-model/scenarios/${scenario}.json`, import.meta.url)
  return JSON.parse(readFileSync(url, 'utf8')) as Parameters<typeof wholeScript>[0]['script']
}

/** Recorded times are all the same, and some channels tell none: every source gets a clock of its own. */
function spread(events: readonly Event[], source: number): Event[] {
  const step = 10_000 / events.length
  return events.map((event, index) => ({ ...event, at: Math.round(at + source * 10 + index * step) }))
}

function readRecords(url: URL): AgentRecord[] {
  const lines = readFileSync(url, 'utf8').trimEnd().split('\n')
  return lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line) as AgentRecord]))
}

/** Every start of the CLI is a source of its own. */
function runs(recorded: Case): Event[][] {
  const { agent, folder } = recorded
  return ['stream.jsonl', 'stream-2.jsonl'].flatMap((name, index) => {
    const file = new URL(name, folder)
    if (!existsSync(file)) return []
    const maker = new EventMaker({ agent: agent.id, channel: 'headless', source: `run-${index + 1}` })
    const prompt = index === 0 ? findScript(recorded).prompt : 'Go on with turn 2.'
    const reader = agent.headless!.reader!(maker, { prompt })
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    return [lines.flatMap((line) => reader.read(line))]
  })
}

function hooks({ agent, hooks: reader, folder }: Case): Event[] {
  const maker = new EventMaker({ agent: agent.id, channel: 'hooks', source: 'hooks' })
  const read = reader(maker)
  return readRecords(new URL('hooks.jsonl', folder)).flatMap((payload, index) => {
    maker.next(at, String(index))
    const events = read.read(payload)
    if (!events) throw new Error(`unknown payload ${JSON.stringify(payload['hook_event_name'])}`)
    return events
  })
}

function acp({ agent, tools, folder }: Case): Event[] {
  const maker = new EventMaker({ agent: agent.id, channel: 'acp', source: 'connection' })
  // Recorded with the wrapper that every supported Node runs.
  const part = { ...agent.acp, ...agent.acp?.wrappers?.at(-1)?.part }
  const reader = acpReader(maker, tools, part.quirks?.(undefined))
  return readRecords(new URL('acp.jsonl', folder)).flatMap((record) => {
    const events = reader.read(record as unknown as AcpMessage, at)
    if (!events) throw new Error(`unknown message ${JSON.stringify(record).slice(0, 500)}`)
    return events
  })
}

async function transcript({ agent, folder }: Case, name: string): Promise<Event[]> {
  const found = [`${name}.jsonl`, `${name}.json`]
    .map((each) => new URL(each, folder))
    .find((url) => existsSync(url))
  if (!found) return []
  if (agent !== opencode) return transcriptEvents(agent, fileURLToPath(found))
  using database = new TestDatabase(withTimes(readDump(found)))
  return readChanges(database.rows).events
}
