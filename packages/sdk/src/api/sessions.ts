import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, resolve, sep } from 'node:path'
import { fold } from '@remora/protocol/fold'
import { type Event, type Message, RemoraError } from '@remora/protocol/plain'
import type { Agent, Place, TranscriptFormat } from '../contract/agent.ts'
import { resolveLinks } from '../files/paths.ts'
import { locate, findAgentByFile } from '../channels/transcripts/locate.ts'
import { type Damage, readTranscript } from '../channels/transcripts/read-transcript.ts'
import { scanAgent, scanFiles } from '../channels/transcripts/scan.ts'
import type { SessionSummary } from '../channels/transcripts/summary.ts'
import { type SessionWatch, type WatchOptions, watchSession } from '../channels/transcripts/watch-session.ts'
import { agents, findAgent, getAgent } from '../agents/registry.ts'

/** The user's environment; that of this process by default. */
export interface SessionsPlace {
  readonly env?: Place['env']
  readonly home?: string
}

/** Which sessions to list. */
export interface ListOptions extends SessionsPlace {
  readonly agent?: string
  /** Only sessions of this folder or its subfolders. */
  readonly cwd?: string
  readonly limit?: number
}

/** How the messages of a session are read. */
export interface MessagesOptions extends SessionsPlace {
  /** Called for records that could not be read. */
  readonly onDamage?: (damage: Damage) => void
}

/** The sessions in the agents' own files, without a daemon or ledger. A missing session is not an error. */
export const sessions = {
  /** Lists the sessions of all agents, the latest first. @example await sessions.list({ agent: 'gemini', limit: 10 }) */
  async list(options: ListOptions = {}): Promise<SessionSummary[]> {
    const place = toPlace(options)
    const cwd = options.cwd === undefined ? undefined : await resolveLinks(resolve(options.cwd))
    const found: SessionSummary[] = []
    for (const agent of chosen(options.agent)) {
      for (const summary of await scanAgent(agent, place)) {
        const finished = summary.finish()
        if (!finished || (cwd !== undefined && !isIn(agent, finished, cwd))) continue
        // A file without a folder was found by its location.
        found.push(cwd !== undefined && finished.cwd === undefined ? { ...finished, cwd } : finished)
      }
    }
    return found.sort((a, b) => b.updatedAt - a.updatedAt).slice(0, options.limit)
  },

  /** Finds a session by its id. @example (await sessions.find(id))?.cwd */
  async find(id: string, options: SessionsPlace = {}): Promise<SessionSummary | undefined> {
    return (await locate(chosen(), toPlace(options), id))?.summary
  },

  /**
   * Reads the messages of a session by its id, of a transcript file, or of an agent's latest session in a folder.
   *
   * @example await sessions.messages({ agent: 'gemini', cwd: '.' })
   */
  async messages(target: SessionTarget, options: MessagesOptions = {}): Promise<Message[]> {
    return fold(await sessions.events(target, options))
  },

  /** Reads the events behind the messages. @example totalUsage(await sessions.events(id)) */
  async events(target: SessionTarget, options: MessagesOptions = {}): Promise<Event[]> {
    const place = toPlace(options)
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
   * Yields the events of a session as they happen, until the signal aborts.
   *
   * @example
   * const watch = sessions.watch(id, { from: 'start', signal })
   * for await (const event of watch) save(event, watch.cursor)
   */
  watch(id: string, options: WatchOptions & SessionsPlace): SessionWatch {
    return watchSession(chosen(options.agent), toPlace(options), id, options)
  },
}

/** A session id, or the latest session of an agent in a folder. */
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
  const known = await findAgentByFile(chosen(), path)
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

/** Lists the agents with transcripts, or only the given one. @example agentsWithTranscripts('gemini') */
export function chosen(id?: string): Agent[] {
  if (id === undefined) return agents().filter((agent) => agent.transcripts)
  const agent = getAgent(id)
  return agent.transcripts ? [agent] : []
}

/** Completes a place with this process's environment, home and folder. @example toPlace({ home: '/home/me' }) */
export function toPlace(place: SessionsPlace): Place {
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
