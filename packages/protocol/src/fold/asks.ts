import type { Answer, Ask } from '../model/ask.ts'
import type { EventOf } from '../model/event.ts'
import { callEntity } from './call.ts'

/** One ask with all its answers, and what follows from them. */
interface AskRecord {
  ask?: Ask
  /** When the agent first asked. */
  from: number
  readonly answers: { readonly at: number; readonly option: Answer['option'] }[]
  effects: AskEffects
}

/** What the answers of an ask change in the messages. */
export interface AskEffects {
  readonly denials: readonly Denial[]
  readonly wait?: Wait
}

interface Denial {
  readonly at: number
  /** The key of the call that the ask names. */
  readonly key?: string
  /** Tool and input in Claude's format, if the ask does not name the call. */
  readonly call?: string
}

/** The time in which a person was asked about a call. */
interface Wait {
  readonly keys: readonly string[]
  readonly from: number
  readonly until: number
}

/** The asks of a session, indexed by the calls that they are about. */
export class Asks {
  readonly #records = new Map<string, AskRecord>()
  readonly #denials = new Map<string, Denial[]>()
  readonly #waits = new Map<string, Wait[]>()

  /** Reads an event, and returns the effects that the ask had before and has now. */
  read(event: EventOf<'ask'> | EventOf<'answer'>): AskEffects[] {
    const id = event.type === 'ask' ? event.ask.id : event.answer.ask
    let record = this.#records.get(id)
    if (!record) this.#records.set(id, (record = { from: event.at, answers: [], effects: { denials: [] } }))
    if (event.type === 'answer') record.answers.push({ at: event.at, option: event.answer.option })
    else {
      record.from = record.ask ? Math.min(record.from, event.at) : event.at
      record.ask = event.ask
    }
    const before = record.effects
    const after = findEffects(record)
    for (const denial of before.denials) remove(this.#denials, denial.key ?? denial.call!, denial)
    for (const denial of after.denials) add(this.#denials, denial.key ?? denial.call!, denial)
    for (const key of before.wait?.keys ?? []) remove(this.#waits, key, before.wait!)
    for (const key of after.wait?.keys ?? []) add(this.#waits, key, after.wait!)
    record.effects = after
    return [before, after]
  }

  /** Whether the user denied a call. Codex records a denial like an interruption, so only the answer shows it. */
  isDenied(id: string, use: EventOf<'tool_use'> | undefined, turnStart: number, turnEnd: number): boolean {
    if (this.#denials.size === 0) return false
    if (this.#denials.has(getIdKey(id))) return true
    const denials = use ? this.#denials.get(callEntity(use.name, use.input)) : undefined
    return denials?.some(({ at }) => at >= turnStart && at <= turnEnd) ?? false
  }

  /** When a call started to run: after the user was asked about it, so that its duration does not include the wait. */
  skipWaits(id: string, use: EventOf<'tool_use'>, startedAt: number, endedAt: number): number {
    let start = startedAt
    if (this.#waits.size > 0)
      for (const key of getCallKeys(id, use))
        for (const { from, until } of this.#waits.get(key) ?? [])
          if (from >= startedAt && until <= endedAt && until > start) start = until
    return start
  }
}

function findEffects({ ask, from, answers }: AskRecord): AskEffects {
  if (!ask || answers.length === 0) return { denials: [] }
  const keys = ask.toolUse === undefined ? getInputKeys(ask.tool ?? '', ask.input) : [getIdKey(ask.toolUse)]
  const wait = { keys, from, until: Math.max(...answers.map(({ at }) => at)) }
  if (ask.kind !== 'permission') return { denials: [], wait }
  const denials = answers.flatMap(({ at, option }): Denial[] => {
    const effect = ask.options.find(({ id }) => id === option)?.effect
    if (effect !== 'deny' && effect !== 'deny_always') return []
    if (ask.toolUse !== undefined) return [{ at, key: getIdKey(ask.toolUse) }]
    return ask.tool === undefined || ask.input === undefined
      ? []
      : [{ at, call: callEntity(ask.tool, ask.input) }]
  })
  return { denials, wait }
}

/** The keys under which an ask may name a call: its id, or its tool with one of the inputs that identify it. */
export function getCallKeys(id: string, use: EventOf<'tool_use'> | undefined): string[] {
  return [getIdKey(id), ...(use ? getInputKeys(use.name, use.input) : [])]
}

/** @example getIdKey('toolu_1') // 'id toolu_1' */
export function getIdKey(id: string): string {
  return `id ${id}`
}

/** The input fields that distinguish two calls of one tool. */
const identifyingFields = ['command', 'file_path', 'url', 'pattern', 'query'] as const

function getInputKeys(tool: string, input: unknown): string[] {
  const fields = (input ?? {}) as Record<string, unknown>
  return identifyingFields.flatMap((name) =>
    typeof fields[name] === 'string' ? [`${tool} ${name} ${fields[name]}`] : [],
  )
}

function add<T>(index: Map<string, T[]>, key: string, value: T): void {
  const values = index.get(key)
  if (values) values.push(value)
  else index.set(key, [value])
}

function remove<T>(index: Map<string, T[]>, key: string, value: T): void {
  const others = (index.get(key) ?? []).filter((other) => other !== value)
  if (others.length > 0) index.set(key, others)
  else index.delete(key)
}
