import { type EventFields, type EventMaker, parseTime } from '../events/event-maker.ts'
import { asString, defined } from '../events/fields.ts'
import type { AgentRecord } from '../events/read-record.ts'

/** A map that drops its oldest entries. Reading on in a file only needs recent ones. */
export class RecentMap<T> extends Map<string, T> {
  readonly #limit: number

  constructor(limit: number, entries: unknown) {
    super()
    this.#limit = limit
    if (!Array.isArray(entries)) return
    for (const entry of entries as unknown[])
      if (Array.isArray(entry) && typeof entry[0] === 'string') this.set(entry[0], entry[1] as T)
  }

  override set(key: string, value: T): this {
    super.delete(key)
    super.set(key, value)
    if (this.size <= this.#limit) return this
    const [first] = this.keys()
    super.delete(first!)
    return this
  }
}

/**
 * The fields that every record of Claude's session files has: `uuid`, `parentUuid`, `sessionId`, `timestamp`, `version`
 * and `cwd`. The content of the records differs between agents.
 */
export class ClaudeFrame {
  readonly #maker: EventMaker
  /** The last prompt that follows each record; '' is the start of the file. */
  readonly #prompts: RecentMap<string>
  #version: string | undefined

  constructor(maker: EventMaker, state: AgentRecord, prompts: unknown) {
    this.#maker = maker
    this.#prompts = new RecentMap(1000, prompts)
    this.#version = asString(state['version'])
    if (typeof state['at'] === 'number') maker.at = state['at']
  }

  state() {
    return defined({ at: this.#maker.at, session: this.#maker.session, version: this.#version })
  }

  prompts(): [string, string][] {
    return [...this.#prompts]
  }

  /** Takes the time and the session of a record. */
  begin(record: AgentRecord): void {
    const time = parseTime(record['timestamp'])
    if (time !== undefined) this.#maker.at = time
    // One file is one session, even if lines of another session were copied into it.
    if (this.#maker.session === '') this.#maker.session = asString(record['sessionId']) ?? ''
  }

  /** The event about the session of the record. */
  session(about: { cwd?: string; version?: string; title?: string }): EventFields {
    return { type: 'session', entity: this.#maker.session, ...about }
  }

  /** The folder of the first record, and the version whenever it changes. */
  start(record: AgentRecord): EventFields[] {
    const version = asString(record['version'])
    if (version === undefined || version === this.#version || this.#maker.parent !== undefined) return []
    const cwd = this.#version === undefined ? asString(record['cwd']) : undefined
    this.#version = version
    return [this.session(defined({ cwd, version }))]
  }

  /** A prompt that follows an earlier record than the last one withdraws everything after that record. */
  branch(record: AgentRecord, fields: EventFields[]): EventFields[] {
    const prompt = fields.find((each) => each.type === 'message' && each.role === 'user' && !each.context)
    if (!prompt || this.#maker.parent !== undefined) return fields
    const to = this.#replacePrompt(record, prompt.entity)
    if (to === undefined) return fields
    return [{ type: 'status', entity: this.#maker.session, status: 'rewound', value: { to } }, ...fields]
  }

  /** The earlier prompt that this one replaces, since both follow the same record. */
  #replacePrompt(record: AgentRecord, prompt: string): string | undefined {
    const parent = record['parentUuid']
    // The first prompt has no parent. Old files may have several prompts without one, so only a prompt with a source
    // replaces the first one.
    const known = typeof parent === 'string' || (parent === null && record['promptSource'] !== undefined)
    if (!known) return undefined
    const key = typeof parent === 'string' ? parent : ''
    const earlier = this.#prompts.get(key)
    this.#prompts.set(key, prompt)
    return earlier === prompt ? undefined : earlier
  }
}
