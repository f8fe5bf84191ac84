import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Whose file it is: a session's, or a sub-agent's of one. */
export interface FileOwner {
  readonly session?: string
  readonly agent?: string
}

/** Tells the owner by the names: `<session>.jsonl`, `<session>/subagents/agent-<id>.jsonl`, before that `agent-<id>.jsonl`. */
export function ownerOf(path: string): FileOwner {
  const stem = basename(path).replace(/\.jsonl$/, '')
  if (uuid.test(stem)) return { session: stem }
  const agent = /^agent-(.+)$/.exec(stem)?.[1]
  if (agent === undefined) return {}
  const session = basename(dirname(dirname(path)))
  return uuid.test(session) ? { agent, session } : { agent }
}

/** The call that started a sub-agent: newer versions write it into a file beside. */
export function startedBy(path: string): string | undefined {
  const beside = path.replace(/\.jsonl$/, '.meta.json')
  if (!existsSync(beside)) return undefined
  try {
    return asString(asRecord(JSON.parse(readFileSync(beside, 'utf8')))?.['toolUseId'])
  } catch {
    // Half written: the sub-agent then goes by its own name.
    return undefined
  }
}

/** A map that forgets what came first: going on in a file needs what is near. */
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

/** Where a record belongs in the tree of a session: which branch is dead, and which call a sub-agent works for. */
export class Threads {
  /** The last prompt behind each record that has one; '' stands for the beginning. */
  readonly #prompts: RecentMap<string>
  /** Records of sub-agents that older versions wrote into the session's file, with the calls they work for. */
  readonly #members: RecentMap<string>
  /** Calls that may have started one, with what they told it. */
  readonly #tasks: RecentMap<string>

  constructor(state: unknown) {
    const { prompts, members, tasks } = asRecord(state) ?? {}
    this.#prompts = new RecentMap(1000, prompts)
    this.#members = new RecentMap(100, members)
    this.#tasks = new RecentMap(20, tasks)
  }

  state(): object {
    return { prompts: [...this.#prompts], members: [...this.#members], tasks: [...this.#tasks] }
  }

  /** The prompt that a new one takes the place of, with all that followed: they stand behind the same record. */
  replacedBy(record: AgentRecord, prompt: string): string | undefined {
    const parent = record['parentUuid']
    // The first prompt has nothing before it. Old files may have several beginnings, so only a prompt that is known
    // to be typed or sent takes the place of the first one.
    const known = typeof parent === 'string' || (parent === null && record['promptSource'] !== undefined)
    if (!known) return undefined
    const key = typeof parent === 'string' ? parent : ''
    const earlier = this.#prompts.get(key)
    this.#prompts.set(key, prompt)
    return earlier === prompt ? undefined : earlier
  }

  /** Remembers a call that may start a sub-agent. */
  started(call: string, input: unknown): void {
    this.#tasks.set(call, (asString(asRecord(input)?.['prompt']) ?? '').slice(0, 200))
  }

  ended(call: string): void {
    this.#tasks.delete(call)
  }

  /** The call for which a sub-agent wrote a record into the session's file. */
  callOf(record: AgentRecord): string {
    const id = asString(record['uuid']) ?? ''
    const before = asString(record['parentUuid'])
    const call = (before === undefined ? undefined : this.#members.get(before)) ?? this.#callFor(record) ?? id
    if (id !== '') this.#members.set(id, call)
    return call
  }

  #callFor(record: AgentRecord): string | undefined {
    const prompt = asString(asRecord(record['message'])?.['content'])?.slice(0, 200)
    const tasks = [...this.#tasks]
    const exact = tasks.find(([, told]) => told === prompt) ?? tasks.at(-1)
    return exact?.[0] ?? asString(record['agentId'])
  }
}
