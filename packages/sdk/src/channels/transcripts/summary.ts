import { type Event, type Usage, addUsage, getMessageText } from '@remora/protocol/plain'
import type { Answered } from '../../contract/agent.ts'

/** The summary of one session. */
export interface SessionSummary {
  readonly agent: string
  readonly id: string
  readonly title?: string
  /** The start of the first prompt. */
  readonly firstPrompt?: string
  readonly model?: string
  readonly cwd?: string
  readonly version?: string
  /** The number of prompts and answers, without context, notices and subagents. */
  readonly messages: number
  readonly usage: Usage
  readonly startedAt: number
  readonly updatedAt: number
  /** The files of the session, the main file first. */
  readonly files: readonly string[]
}

/** The usage of one answer. */
export interface Spent {
  readonly entity: string
  readonly at: number
  readonly model?: string
  readonly usage: Usage
}

type About = Partial<Record<'title' | 'model' | 'cwd' | 'version', string>>
type FirstPrompt = { readonly entity: string; readonly at: number; readonly text: string }

/** Builds the summary of a session from its events, in any order of files. */
export class Summary {
  readonly agent: string
  readonly id: string
  readonly files: string[] = []
  readonly spent = new Map<string, Spent>()
  readonly #messages = new Set<string>()
  /** The messages that count, also those that were rewound. */
  readonly #counted = new Set<string>()
  /** All messages in order, including notices and context, because the user can rewind to any of them. */
  readonly #told = new Set<string>()
  /** Messages that the agent has dropped from its context. They were shown, so they count. */
  readonly #dropped = new Set<string>()
  /** Messages that repeat others under another id. */
  readonly #repeats = new Set<string>()
  #about: About = {}
  #firstPrompt: FirstPrompt | undefined
  #startedAt = Infinity
  #updatedAt = -Infinity

  constructor(agent: string, id: string) {
    this.agent = agent
    this.id = id
  }

  get updatedAt(): number {
    return this.#updatedAt
  }

  get cwd(): string | undefined {
    return this.#about.cwd
  }

  add(event: Event): void {
    if (event.type !== 'unknown') this.seen(event.at)
    switch (event.type) {
      case 'session':
        if (event.parent === undefined) this.about(event)
        break
      case 'error':
        if (event.parent === undefined) this.#told.add(event.entity)
        break
      case 'message':
        if (event.parent === undefined) this.#told.add(event.entity)
        if (event.role === 'system' || event.context || event.parent !== undefined) break
        if (event.role === 'assistant') this.#count(event.entity)
        else this.prompt(event.entity, event.at, getMessageText({ content: event.content ?? [] }))
        if (event.model !== undefined) this.#about.model = event.model
        break
      case 'status':
        if (event.status === 'rewound' && event.parent === undefined) this.#rewind(event.value)
        break
      case 'usage':
        if (event.scope !== 'run') this.spend(event)
        break
    }
  }

  answer({ entity, at, model, usage }: Answered): void {
    this.#count(entity)
    this.#told.add(entity)
    this.seen(at)
    if (model !== undefined) this.#about.model = model
    if (usage) this.spend({ entity, at, usage, ...(model === undefined ? {} : { model }) })
  }

  about({ title, model, cwd, version }: About): void {
    if (title !== undefined) this.#about.title = title
    if (model !== undefined) this.#about.model = model
    if (version !== undefined) this.#about.version = version
    // A session belongs to the folder in which it was started.
    if (cwd !== undefined) this.#about.cwd ??= cwd
  }

  prompt(entity: string, at: number, text: string): void {
    this.#count(entity)
    if (text.trim() !== '' && (!this.#firstPrompt || at < this.#firstPrompt.at))
      this.#firstPrompt = {
        entity,
        at,
        text: text
          .trim()
          .slice(0, 500)
          .replace(/[\uD800-\uDBFF]$/, ''),
      }
  }

  #count(entity: string): void {
    if (this.#repeats.has(entity)) return
    this.#messages.add(entity)
    this.#counted.add(entity)
  }

  /** Removes rewound messages from the conversation. */
  #rewind(value: unknown): void {
    const { to, keep, exact } = (value ?? {}) as { to?: string; keep?: readonly string[]; exact?: boolean }
    if (keep) return exact ? this.#keepOnly(new Set(keep)) : this.#rewrite(new Set(keep))
    let taken = !this.#told.has(to ?? '')
    for (const entity of this.#told) {
      taken ||= entity === to
      if (taken) this.#messages.delete(entity)
    }
  }

  /** The list may contain messages that were rewound before: the user has gone back to their branch. */
  #keepOnly(keep: ReadonlySet<string>): void {
    for (const entity of this.#told) {
      if (!keep.has(entity)) this.#messages.delete(entity)
      else if (this.#counted.has(entity)) this.#messages.add(entity)
    }
  }

  /** Handles a message list that omits messages. Messages after the last omitted one repeat earlier ones under other ids. */
  #rewrite(keep: ReadonlySet<string>): void {
    const told = [...this.#told]
    const isNew = (entity: string) => this.#messages.has(entity) && !this.#dropped.has(entity)
    const last = told.findLastIndex((entity) => !keep.has(entity) && isNew(entity))
    for (const entity of last === -1 ? [] : told.slice(last + 1).filter((each) => keep.has(each))) {
      this.#repeats.add(entity)
      this.#messages.delete(entity)
    }
    for (const entity of told) if (!keep.has(entity)) this.#dropped.add(entity)
  }

  /** Repeated usage of one answer grows, so the largest counts. */
  spend({ entity, at, model, usage }: Spent): void {
    const known = this.spent.get(entity)
    if (known && (known.usage.totalTokens ?? 0) > (usage.totalTokens ?? 0)) return
    this.spent.set(entity, model === undefined ? { entity, at, usage } : { entity, at, usage, model })
  }

  /** Merges another file of the same session. */
  merge(other: Summary): void {
    this.files.push(...other.files)
    for (const entity of other.#messages) this.#messages.add(entity)
    for (const entity of other.#told) this.#told.add(entity)
    for (const entity of other.#counted) this.#counted.add(entity)
    for (const [entity, spent] of other.spent) this.spent.set(entity, spent)
    this.about(other.#about)
    if (other.#firstPrompt)
      this.prompt(other.#firstPrompt.entity, other.#firstPrompt.at, other.#firstPrompt.text)
    this.seen(other.#startedAt)
    this.seen(other.#updatedAt)
  }

  /** Some records have no time. */
  seen(at: number): void {
    if (at <= 0) return
    if (at < this.#startedAt) this.#startedAt = at
    if (at > this.#updatedAt) this.#updatedAt = at
  }

  /** Undefined for a session without messages. */
  finish(): SessionSummary | undefined {
    if (this.#messages.size === 0) return undefined
    let usage: Usage = {}
    for (const spent of this.spent.values()) usage = addUsage(usage, spent.usage)
    return {
      agent: this.agent,
      id: this.id,
      ...this.#about,
      ...(this.#firstPrompt ? { firstPrompt: this.#firstPrompt.text } : {}),
      messages: this.#messages.size,
      usage,
      startedAt: this.#startedAt,
      updatedAt: this.#updatedAt,
      files: this.files,
    }
  }
}
