import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, resolve, sep } from 'node:path'
import { fold } from '@remora/protocol/fold'
import { type Event, type Message, RemoraError } from '@remora/protocol/plain'
import type { Agent, Place, TranscriptFormat } from '../contract/agent.ts'
import { resolveLinks } from '../files/paths.ts'
import { locate, recognise } from '../channels/transcripts/locate.ts'
import { type Damage, readTranscript } from '../channels/transcripts/read-transcript.ts'
import { scanAgent, scanFiles } from '../channels/transcripts/scan.ts'
import type { SessionSummary } from '../channels/transcripts/summary.ts'
import { type SessionWatch, type WatchOptions, watchSession } from '../channels/transcripts/watch-session.ts'
import { agents, findAgent } from '../agents/registry.ts'

/** Whose sessions; what is left out is taken from this process. */
export interface SessionsPlace {
  readonly env?: Place['env']
  readonly home?: string
}

export interface ListOptions extends SessionsPlace {
  readonly agent?: string
  /** Only sessions that worked in this folder or below it. */
  readonly cwd?: string
  readonly limit?: number
}

export interface MessagesOptions extends SessionsPlace {
  /** Told of records that could not be read. */
  readonly onDamage?: (damage: Damage) => void
}

/** Sessions as the agents themselves keep them: no daemon and no ledger. What is not there is no error. */
export const sessions = {
  /** The sessions of every agent, the latest first. @example await sessions.list({ agent: 'gemini', limit: 10 }) */
  async list(options: ListOptions = {}): Promise<SessionSummary[]> {
    const place = placeOf(options)
    const cwd = options.cwd === undefined ? undefined : await resolveLinks(resolve(options.cwd))
    const found: SessionSummary[] = []
    for (const agent of chosen(options.agent)) {
      for (const summary of await scanAgent(agent, place)) {
        const finished = summary.finish()
        if (!finished || (cwd !== undefined && !isIn(agent, finished, cwd))) continue
        // A file that does not tell its folder was found by it.
        found.push(cwd !== undefined && finished.cwd === undefined ? { ...finished, cwd } : finished)
      }
    }
    return found.sort((a, b) => b.updatedAt - a.updatedAt).slice(0, options.limit)
  },

  /** One session by its id. @example (await sessions.find(id))?.cwd */
  async find(id: string, options: SessionsPlace = {}): Promise<SessionSummary | undefined> {
    return (await locate(chosen(), placeOf(options), id))?.summary
  },

  /**
   * The messages of a session by its id, of a transcript file, or of an agent's latest session in a folder.
   *
   * @example await sessions.messages({ agent: 'gemini', cwd: '.' })
   */
  async messages(target: SessionTarget, options: MessagesOptions = {}): Promise<Message[]> {
    return fold(await sessions.events(target, options))
  },

  /** The events behind the messages. @example totalUsage(await sessions.events(id)) */
  async events(target: SessionTarget, options: MessagesOptions = {}): Promise<Event[]> {
    const place = placeOf(options)
    const found = await resolveTarget(target, place, options)
    if (!found) return []
    const events: Event[] = []
    for (const path of found.files) {
      const { session, format } = found
      for await (const batch of readTranscript(found.agent, path, { session, format })) {
        for (const damage of batch.damaged) options.onDamage?.(damage)
        for (const record of batch.records) {
          for (const event of record.events)
            if (found.session === undefined || event.session === found.session) events.push(event)
        }
      }
    }
    return events
  },

  /**
   * What happens in a session, while it happens, until the signal.
   *
   * @example
   * const watch = sessions.watch(id, { from: 'start', signal })
   * for await (const event of watch) save(event, watch.cursor)
   */
  watch(id: string, options: WatchOptions & SessionsPlace): SessionWatch {
    return watchSession(chosen(options.agent), placeOf(options), id, options)
  },
}

export type SessionTarget = string | { readonly agent: string; readonly cwd?: string }

interface Found {
  readonly agent: Agent
  readonly files: readonly string[]
  readonly session?: string | undefined
  readonly format?: TranscriptFormat | undefined
}

async function resolveTarget(
  target: SessionTarget,
  place: Place,
  options: SessionsPlace,
): Promise<Found | undefined> {
  if (typeof target !== 'string') {
    const [latest] = await sessions.list({ ...options, ...target, limit: 1 })
    return latest && { agent: findAgent(latest.agent)!, files: latest.files, session: latest.id }
  }
  const located = isAbsolute(target) ? undefined : await locate(chosen(), place, target)
  if (located) return { agent: located.agent, files: located.summary.files, session: located.summary.id }
  const path = resolve(place.cwd, target)
  if (!(await stat(path).catch(() => undefined))?.isFile()) return undefined
  const known = await recognise(chosen(), path)
  if (!known)
    throw new RemoraError('input', `${target} is not a transcript of any agent that is known`, {
      hint: 'Give the file that the agent itself wrote, or the id of a session.',
    })
  const { agent, format } = known
  if (format !== 'database') return { agent, files: [path], format }
  const [latest] = await latestIn(agent, path)
  return latest && { agent, files: [path], session: latest.id }
}

async function latestIn(agent: Agent, path: string): Promise<SessionSummary[]> {
  const found = (await scanFiles(agent, [path])).flatMap((summary) => summary.finish() ?? [])
  return found.sort((a, b) => b.updatedAt - a.updatedAt)
}

/** The agents that keep transcripts, or the one of that name. */
export function chosen(id?: string): Agent[] {
  if (id === undefined) return agents().filter((agent) => agent.transcripts)
  const agent = findAgent(id)
  if (agent) return agent.transcripts ? [agent] : []
  throw new RemoraError('usage', `There is no agent "${id}"`, {
    hint: `Known agents: ${agents()
      .map((each) => each.id)
      .join(', ')}`,
  })
}

export function placeOf(place: SessionsPlace): Place {
  return { env: place.env ?? process.env, home: place.home ?? homedir(), cwd: process.cwd() }
}

export function isIn(
  agent: Agent,
  { cwd, files }: Pick<SessionSummary, 'cwd' | 'files'>,
  folder: string,
): boolean {
  if (cwd === undefined) return files.some((path) => agent.transcripts?.belongs?.(path, folder))
  return cwd === folder || cwd.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
