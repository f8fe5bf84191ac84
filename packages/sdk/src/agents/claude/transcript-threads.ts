import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { RecentMap } from '../../dialects/claude-frame.ts'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The session of a file, and the sub-agent if one wrote it. */
export interface FileOwner {
  readonly session?: string
  readonly agent?: string
}

/** Reads the owner from the path: `<session>.jsonl`, `<session>/subagents/agent-<id>.jsonl`, in older versions `agent-<id>.jsonl`. */
export function parseOwner(path: string): FileOwner {
  const stem = basename(path).replace(/\.jsonl$/, '')
  if (uuid.test(stem)) return { session: stem }
  const agent = /^agent-(.+)$/.exec(stem)?.[1]
  if (agent === undefined) return {}
  const session = basename(dirname(dirname(path)))
  return uuid.test(session) ? { agent, session } : { agent }
}

/** The call that started a sub-agent. Newer versions write it into a file beside the transcript. */
export function readStartingCall(path: string): string | undefined {
  const beside = path.replace(/\.jsonl$/, '.meta.json')
  if (!existsSync(beside)) return undefined
  try {
    return asString(asRecord(JSON.parse(readFileSync(beside, 'utf8')))?.['toolUseId'])
  } catch {
    // A partly written file: the sub-agent's own id is used instead.
    return undefined
  }
}

/** Finds the call that a sub-agent's record belongs to. */
export class Threads {
  /** Records of sub-agents that older versions wrote into the session's file, with the calls they work for. */
  readonly #members: RecentMap<string>
  /** Calls that may have started a sub-agent, with its prompt. */
  readonly #tasks: RecentMap<string>

  constructor(state: unknown) {
    const { members, tasks } = asRecord(state) ?? {}
    this.#members = new RecentMap(100, members)
    this.#tasks = new RecentMap(20, tasks)
  }

  state(): object {
    return { members: [...this.#members], tasks: [...this.#tasks] }
  }

  /** Remembers a call that may start a sub-agent. */
  addCall(call: string, input: unknown): void {
    this.#tasks.set(call, (asString(asRecord(input)?.['prompt']) ?? '').slice(0, 200))
  }

  removeCall(call: string): void {
    this.#tasks.delete(call)
  }

  /** The call for which a sub-agent wrote a record into the session's file. */
  findCall(record: AgentRecord): string {
    const id = asString(record['uuid']) ?? ''
    const before = asString(record['parentUuid'])
    const call =
      (before === undefined ? undefined : this.#members.get(before)) ?? this.#findTask(record) ?? id
    if (id !== '') this.#members.set(id, call)
    return call
  }

  #findTask(record: AgentRecord): string | undefined {
    const prompt = asString(asRecord(record['message'])?.['content'])?.slice(0, 200)
    const tasks = [...this.#tasks]
    const exact = tasks.find(([, own]) => own === prompt) ?? tasks.at(-1)
    return exact?.[0] ?? asString(record['agentId'])
  }
}
