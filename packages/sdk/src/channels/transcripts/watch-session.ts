import { type Event, RemoraError } from '@remora/protocol/plain'
import type { Agent, Place } from '../../contract/agent.ts'
import { computeDigest } from '../../events/digest.ts'
import { asRecord } from '../../events/fields.ts'
import type { Checkpoint } from './checkpoint.ts'
import { locate } from './locate.ts'
import { readTranscript } from './read-transcript.ts'
import { watchTranscripts } from './watch-folders.ts'

/** Where a watch starts, and when it stops. */
export interface WatchOptions {
  /** From the start, from the next event, or from the cursor of an earlier watch. */
  readonly from?: 'start' | 'now' | (string & {})
  readonly agent?: string
  readonly signal?: AbortSignal
}

/** The events of a session as they happen. */
export interface SessionWatch extends AsyncIterable<Event> {
  /** The position after the last event that was returned, as JSON. */
  readonly cursor: string
}

/** A file that is, or may be, part of the session. */
interface Followed {
  readonly agent: Agent
  checkpoint?: Checkpoint
  /** Whether it belongs to the session, once known. */
  ours?: boolean
}

export function watchSession(
  agents: readonly Agent[],
  place: Place,
  id: string,
  { from = 'now', signal }: WatchOptions,
): SessionWatch {
  const files = new Map<string, Followed>()
  const told = new Set<string>()
  const stop = new AbortController()
  const ended = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  for (const [path, { agent, checkpoint }] of Object.entries(
    from === 'start' || from === 'now' ? {} : parse(from),
  )) {
    const known = agents.find((each) => each.id === agent)
    if (known) files.set(path, { agent: known, checkpoint, ours: true })
  }

  /** Removes known records, and repeated content of the same entity, which a list of all messages contains. */
  const isNew = (event: Event): boolean => {
    // After a rewind, repeated content is new.
    if (event.type === 'status' && event.status === 'rewound' && isStepBack(event.value)) told.clear()
    const { origin, raw: _, at: __, ...said } = event
    const names = [`${origin.source} ${origin.key} ${origin.digest}`, computeDigest(JSON.stringify(said))]
    const fresh = names.every((name) => !told.has(name))
    for (const name of names) told.add(name)
    return fresh
  }

  /** Reads the new events of a file. Events that a rewritten file repeats are skipped. */
  async function* news(path: string, silent: boolean): AsyncGenerator<Event> {
    const file = files.get(path)!
    const options = { since: file.checkpoint, session: id, signal: ended }
    for await (const batch of readTranscript(file.agent, path, options)) {
      for (const { events } of batch.records) {
        for (const event of events) {
          // A damaged first line does not identify the session.
          if (event.session !== '')
            file.ours ??= event.session === id || file.agent.transcripts!.format(path) === 'database'
          if (event.session !== id) continue
          if (isNew(event) && !silent) yield event
        }
      }
      file.checkpoint = batch.checkpoint
      if (file.ours === false) return
    }
  }

  async function* watch(): AsyncGenerator<Event> {
    const changed = new Set<string>()
    let wake = (): void => {}
    ended.addEventListener('abort', () => wake(), { once: true })
    for (const agent of agents) {
      const onChange = (path: string): void => {
        if (!files.has(path)) files.set(path, { agent })
        changed.add(path)
        wake()
      }
      await watchTranscripts(agent, place, onChange, ended)
    }
    const located = await locate(agents, place, id)
    for (const path of located?.summary.files ?? []) {
      files.set(path, { agent: located!.agent, ...files.get(path), ours: true })
    }
    for (const [path, { ours }] of files) if (ours) yield* news(path, from === 'now')
    while (!ended.aborted) {
      const [path] = changed
      if (path === undefined) {
        await new Promise<void>((resolve) => (wake = resolve))
        continue
      }
      changed.delete(path)
      if (files.get(path)!.ours !== false) yield* news(path, false)
    }
  }

  return {
    get cursor() {
      const ours = [...files].filter(([, file]) => file.ours && file.checkpoint)
      return JSON.stringify(
        Object.fromEntries(
          ours.map(([path, file]) => [path, { agent: file.agent.id, checkpoint: file.checkpoint }]),
        ),
      )
    },
    async *[Symbol.asyncIterator]() {
      try {
        yield* watch()
      } catch (error) {
        if (!ended.aborted) throw error
      } finally {
        stop.abort()
      }
    },
  }
}

function isStepBack(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'to' in value
}

function isPlace(value: unknown): boolean {
  const place = asRecord(value)
  return typeof place?.['agent'] === 'string' && typeof asRecord(place['checkpoint'])?.['stamp'] === 'string'
}

function parse(cursor: string): Record<string, { agent: string; checkpoint: Checkpoint }> {
  try {
    const places = asRecord(JSON.parse(cursor))
    if (!places || !Object.values(places).every(isPlace)) throw new TypeError('No places in files')
    return places as Record<string, { agent: string; checkpoint: Checkpoint }>
  } catch (cause) {
    throw new RemoraError('usage', 'The cursor of a watch cannot be read', {
      hint: 'Give the cursor of an earlier watch as it was, or start, or now.',
      cause,
    })
  }
}
