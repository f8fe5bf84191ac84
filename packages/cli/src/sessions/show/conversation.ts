import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { type Ledger, OpenSession, type SessionKey } from '@remora/ledger'
import { fold, totalUsage } from '@remora/protocol/fold'
import type { Event, Message, Usage } from '@remora/protocol/plain'
import type { Damage } from '@remora/sdk/transcripts'
import { findSession } from '../../args/find-session.ts'
import { fail } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import { describeArchives } from '../../ledger/archived-events.ts'
import { readLedger } from '../../ledger/read-ledger.ts'

/** A session with its events. */
export interface Conversation {
  readonly agent: string
  readonly id: string
  /** Its name or title. */
  readonly title?: string | undefined
  readonly cwd?: string | undefined
  readonly usage?: Usage | undefined
  /** All events, or those of the last turns if only the last messages are shown. */
  readonly events: readonly Event[]
  readonly damaged: readonly Damage[]
  /** Asks whose process has exited. */
  readonly deserted?: ReadonlySet<string>
  /** Lines that describe archived parts. */
  readonly elsewhere?: readonly string[]
  /** Whether earlier messages are left out. */
  readonly hasEarlier?: boolean
}

interface LoadedConversation extends Conversation {
  readonly messages: readonly Message[]
}

/** Whether these last messages are all that will be shown. */
export type Enough = (messages: readonly Message[]) => boolean

/** Loads a session from the ledger, or from a transcript file. A long session is read at its end if that is enough. */
export async function loadConversation(
  word: string,
  agent: string | undefined,
  io: Io,
  enough?: Enough,
): Promise<LoadedConversation> {
  const file = findFile(word, io)
  if (file === undefined) return readLedger(io, (ledger) => fromLedger(ledger, word, agent, io, enough))
  // Also false for a path that is too long.
  if (!existsSync(file))
    throw await fail(
      'not_found',
      `File not found: ${file}`,
      'Check the path, or list sessions: remora sessions',
    )
  if (statSync(file).isDirectory())
    throw await fail(
      'input',
      `${file} is a folder`,
      'Pass a transcript file, or list sessions: remora sessions',
    )
  return fromFile(file, io)
}

/** The path if the argument looks like one. A plain name is a file only if it exists. */
export function findFile(word: string, io: Pick<Io, 'cwd' | 'home'>): string | undefined {
  const path = resolve(io.cwd, /^~(?=$|[/\\])/.test(word) ? join(io.home || homedir(), word.slice(1)) : word)
  if (/[/\\]/.test(word)) return path
  return /\.(?:jsonl?|db)$/i.test(word) && existsSync(path) ? path : undefined
}

async function fromLedger(
  ledger: Ledger,
  word: string,
  agent: string | undefined,
  io: Io,
  enough?: Enough,
): Promise<LoadedConversation> {
  const entry = await findSession(ledger, word, io, agent)
  return {
    agent: entry.agent,
    id: entry.session,
    title: entry.name ?? entry.title ?? entry.firstPrompt,
    cwd: entry.cwd,
    usage: entry.usage,
    ...((enough && (await readEnd(ledger, entry, enough))) ?? foldAll(await everyEvent(ledger, entry))),
    damaged: [],
    deserted: await desertedAsks(ledger, entry),
    elsewhere: await describeArchives(ledger, entry, 'show'),
  }
}

/** Reads the last messages; undefined if they are not enough. */
async function readEnd(ledger: Ledger, { agent, session: id }: SessionKey, enough: Enough) {
  const events: Event[] = []
  const session = await OpenSession.atEnd({
    ledger,
    key: { agent, session: id },
    prepare: (stored) => {
      events.push(stored.event)
      return stored
    },
  })
  if (session.offset === 0 || !(await session.readAll()) || !enough(session.messages)) return undefined
  return { events, messages: session.messages, hasEarlier: true }
}

function foldAll(events: readonly Event[]) {
  return { events, messages: fold(events) }
}

async function desertedAsks(ledger: Ledger, { agent, session }: SessionKey): Promise<Set<string>> {
  const open = await ledger.asks.pending({ agent, session })
  if (open.length === 0) return new Set()
  const { isWaitedFor } = await import('@remora/intake')
  const waited = await Promise.all(open.map(({ ask }) => isWaitedFor(ledger, ask.id)))
  return new Set(open.flatMap(({ ask }, index) => (waited[index] ? [] : [ask.id])))
}

const pageSize = 5000

/** All events of a session, in ledger order. */
export async function everyEvent(ledger: Ledger, { agent, session }: SessionKey): Promise<Event[]> {
  const events: Event[] = []
  let page = await ledger.read({ session: { agent, session }, limit: pageSize })
  while (page.events.length > 0) {
    for (const { event } of page.events) events.push(event)
    page = await ledger.read({ session: { agent, session }, limit: pageSize, after: page.cursor })
  }
  return events
}

async function fromFile(file: string, io: Io): Promise<LoadedConversation> {
  const { sessions } = await import('@remora/sdk/transcripts')
  const damaged: Damage[] = []
  const events = await sessions.events(file, {
    env: io.env,
    home: io.home,
    onDamage: (damage) => void damaged.push(damage),
  })
  const about = events.filter((event) => event.type === 'session' && event.parent === undefined)
  const last = <K extends 'title' | 'cwd'>(key: K) =>
    about.findLast(
      (event): event is typeof event & Record<K, string> => key in event && event[key as never] !== undefined,
    )?.[key]
  return {
    agent: events[0]?.agent ?? '',
    id: events[0]?.session ?? basename(file),
    title: last('title'),
    cwd: last('cwd'),
    usage: totalUsage(events),
    ...foldAll(events),
    damaged,
  }
}
