import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { Event, type Channel } from '@remora/protocol'
import type { Agent, OurHook, Place } from '../contract/agent.ts'
import { EventMaker } from '../events/event-maker.ts'
import type { AgentRecord } from '../events/read-record.ts'
import { type AgentFault, ProblemsShape, ScreenShape, findShapeFaults, listFaults } from './agent-shape.ts'

/** Lines and records that no reader knows, and that none may fail on. */
const hostileRecords: readonly AgentRecord[] = [
  {},
  { type: 'remora-check' },
  { type: 1, message: [], content: 'text', id: {} },
  { type: null, message: { role: 7, content: [null, 1, { type: [] }] }, timestamp: 'never' },
  JSON.parse('{"__proto__":{"type":"text"},"type":"text","text":{"text":[]}}') as AgentRecord,
]
const hostileLines = [
  '',
  'not JSON',
  '{',
  'null',
  '[]',
  '"text"',
  ...hostileRecords.map((each) => JSON.stringify(each)),
]
const hostileScreens = [[], ['$ '], ['╭──╮', '│ ? │', '╰──╯'], ['\u0000\u202E', '❯ 1. Yes', '  2. No']]

const InvocationShape = z.looseObject({ args: z.array(z.string(), 'must be a list of texts') })
const events = z.array(Event, 'must be a list of events')
const outcome = z.looseObject({ ok: z.boolean('must be true or false') })
const entries = z.array(z.looseObject({ event: z.string(), command: z.string() }))
const flag = z.boolean('must be true or false')

/**
 * Checks the definition of an agent without its CLI: every part is complete and survives input that it does not know. Returns
 * what is wrong.
 *
 * @example expect(await checkAgent(agent)).toEqual([])
 */
export async function checkAgent(agent: unknown): Promise<readonly AgentFault[]> {
  const faults = findShapeFaults(agent)
  if (faults.length > 0) return faults
  const check = new Check()
  const checked = agent as Agent
  // A folder that does not exist: a fresh home has no files of the CLI.
  const folder = join(tmpdir(), 'remora-check', 'missing')
  const place: Place = { env: {}, home: folder, cwd: folder }
  checkHeadless(checked, check)
  checkTranscripts(checked, place, check)
  checkTerminal(checked, check)
  await checkHooks(checked, place, check)
  const { acp, health, commands } = checked
  if (acp) {
    check.value('acp.invocation', InvocationShape, () => acp.invocation(undefined))
    check.value('acp.toClaude', z.looseObject({ name: z.string() }), () => acp.toClaude('unknown_tool', {}))
  }
  if (health) await check.promise('health', ProblemsShape, () => health(place))
  if (commands) await check.promise('commands.written', z.array(z.unknown()), () => commands.written(place))
  return check.faults
}

/** Calls parts and collects what they throw or return wrongly; of each part, the first fault. */
class Check {
  readonly faults: AgentFault[] = []

  value<T>(part: string, schema: z.ZodType, call: () => T): T | undefined {
    try {
      const result = call()
      this.#add(listFaults(schema, result, part))
      return result
    } catch (error) {
      this.fault(part, `throws: ${(error as Error).message}`)
      return undefined
    }
  }

  async promise(part: string, schema: z.ZodType, call: () => Promise<unknown>): Promise<void> {
    try {
      this.#add(listFaults(schema, await call(), part))
    } catch (error) {
      this.fault(part, `throws: ${(error as Error).message}`)
    }
  }

  fault(part: string, message: string): void {
    this.#add([{ part, message }])
  }

  #add(faults: readonly AgentFault[]): void {
    for (const fault of faults)
      if (!this.faults.some(({ part }) => part === fault.part)) this.faults.push(fault)
  }
}

function createMaker({ id }: Agent, channel: Channel): EventMaker {
  return new EventMaker({ agent: id, channel, source: 'check' })
}

function checkHeadless(agent: Agent, check: Check): void {
  const { headless } = agent
  if (!headless) return
  const request = { prompt: 'Hello' }
  check.value('headless.invocation', InvocationShape, () => headless.invocation(request, undefined))
  const open = () => headless.reader!(createMaker(agent, 'headless'), request)
  if (!headless.reader) return
  const reader = check.value('headless.reader', z.looseObject({}), open)
  if (!reader) return
  for (const line of hostileLines) check.value('headless.reader.read', events, () => reader.read(line))
  const unknown = check.value('headless.reader.read', events, () => reader.read('{"type":"remora-check"}'))
  if (unknown?.length === 0)
    check.fault('headless.reader.read', 'drops an unknown line. Return an event of type unknown')
  const end = (code: number) => () => reader.end({ code, signal: null }, 'failed')
  check.value('headless.reader.end', outcome, end(0))
  const failed = check.value('headless.reader.end', outcome, end(1))
  if (failed?.ok) check.fault('headless.reader.end', 'reports success for exit code 1')
}

function checkTranscripts(agent: Agent, place: Place, check: Check): void {
  const { transcripts } = agent
  if (!transcripts) return
  const root = check.value('transcripts.root', z.string(), () => transcripts.root(place))
  if (root !== undefined && !isAbsolute(root))
    check.fault('transcripts.root', 'must return an absolute path below place.home')
  const format = z.enum(['lines', 'document', 'database'])
  for (const path of ['a', 'a/b.jsonl', 'a/b.json', 'a/b.db', '.x']) {
    check.value('transcripts.isSession', flag, () => transcripts.isSession(path))
    check.value('transcripts.format', format, () => transcripts.format(path))
  }
  for (const record of hostileRecords)
    check.value('transcripts.isOwnRecord', flag, () => transcripts.isOwnRecord(record))
  check.value('transcripts.resume', InvocationShape, () => transcripts.resume('session'))
  if (!transcripts.reader && !transcripts.database)
    check.fault('transcripts', 'needs a reader, or a database')
  const maker = createMaker(agent, 'transcripts')
  const reader =
    transcripts.reader &&
    check.value('transcripts.reader', z.looseObject({}), () =>
      transcripts.reader!(maker, { path: join(place.home, 'session.jsonl') }),
    )
  if (!reader) return
  for (const [index, record] of hostileRecords.entries()) {
    maker.next(0, String(index), 'digest')
    check.value('transcripts.reader.read', events.optional(), () => reader.read(record))
  }
  check.value('transcripts.reader.state', z.unknown(), () => JSON.stringify(reader.state()))
}

function checkTerminal({ terminal }: Agent, check: Check): void {
  if (!terminal) return
  check.value('terminal.invocation', InvocationShape, () => terminal.invocation({}, undefined))
  for (const lines of hostileScreens) {
    const screen = { title: '', lines, columns: 80, cursor: { x: 0, y: 0 } }
    check.value('terminal.read', ScreenShape, () => terminal.read(screen))
  }
  check.value('terminal.choosesSession', flag, () => terminal.choosesSession(undefined))
  check.value('terminal.mention', z.string(), () => terminal.mention('/tmp/a b.png'))
}

async function checkHooks(agent: Agent, place: Place, check: Check): Promise<void> {
  const { hooks } = agent
  if (!hooks) return
  const unknown = [...hooks.defaultEvents, ...hooks.gates].find((event) => !hooks.events.includes(event))
  if (unknown !== undefined) check.fault('hooks.events', `does not contain ${unknown}`)
  await check.promise('hooks.targets', z.array(z.looseObject({ file: z.string() })), () =>
    hooks.targets(place, 'user'),
  )
  // Each file may hold some of the events.
  const left = new Set(hooks.defaultEvents)
  const targets = await hooks.targets(place, 'user').catch(() => [])
  for (const target of targets) {
    const ours = hooks.defaultEvents.map((event): OurHook => ({
      kind: 'record',
      event,
      command: ['/remora/remora-hook', agent.id],
    }))
    const added = check.value('hooks.targets.added', z.string(), () => target.added('', ours))
    if (added === undefined) continue
    const found = check.value('hooks.targets.entries', entries, () => target.entries(added))
    for (const { event, kind } of found ?? []) if (kind === 'record') left.delete(event)
    const removed = check.value('hooks.targets.removed', z.string(), () =>
      target.removed(added, undefined, ''),
    )
    if (removed?.includes('/remora/remora-hook'))
      check.fault('hooks.targets.removed', 'leaves hooks that added wrote')
  }
  if (targets.length > 0 && left.size > 0)
    check.fault('hooks.targets.entries', `does not find the hooks that added wrote: ${[...left].join(', ')}`)
  if (!hooks.reader) return
  const maker = createMaker(agent, 'hooks')
  const reader = check.value('hooks.reader', z.looseObject({}), () => hooks.reader!(maker))
  if (!reader) return
  for (const record of hostileRecords) {
    maker.next(0)
    check.value('hooks.reader.read', events.optional(), () => reader.read(record))
  }
}
