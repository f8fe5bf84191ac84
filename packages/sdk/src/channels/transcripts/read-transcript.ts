import { closeSync, fstatSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EventRecord, JsonError, parseJson } from '@remora/protocol/plain'
import type { Agent, TranscriptFormat, TranscriptReader, TranscriptsPart } from '../../contract/agent.ts'
import { computeDigest } from '../../events/digest.ts'
import { EventMaker } from '../../events/event-maker.ts'
import { asRecord } from '../../events/fields.ts'
import { describeUnreadable } from '../../events/read-record.ts'
import { type Checkpoint, currentStamp, readEdges, hasOnlyGrown, toStamp } from './checkpoint.ts'
import { openDatabase } from './database.ts'
import { type Line, openFile, readLines } from './read-lines.ts'

/** A batch of records of a transcript, and the position after it. */
export interface Batch {
  readonly records: readonly EventRecord[]
  readonly checkpoint: Checkpoint
  readonly damaged: readonly Damage[]
  /** The bytes read so far, and the size of the file. */
  readonly done: number
  readonly total: number
}

/** A record that could not be read. The other records are not affected. */
export interface Damage {
  readonly path: string
  readonly offset: number
  readonly message: string
}

/** How a transcript is read. */
export interface ReadOptions {
  /** Where an earlier read stopped. Only later records are read, if the file has only grown. */
  readonly since?: Checkpoint | undefined
  /** The format, if the file's name does not determine it. */
  readonly format?: TranscriptFormat | undefined
  /** Reads only this session of a database. */
  readonly session?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** A file that was not changed for this long is not in the middle of a write. */
const settledMs = 2_000

const notJson = 'The file is not JSON'

/** How often, and how many times, a document that is being written is read again. */
const rewriteMs = 50
const rewriteReads = 10

/** A batch is small enough to be stored in one short transaction. */
const batchBytes = 2 * 1024 * 1024

/**
 * Reads a transcript, or what was added to it. A rewritten file is read from the start; the ledger recognizes known events
 * by their origin. A missing file yields nothing.
 *
 * @example for await (const { records, checkpoint } of readTranscript(gemini, path)) …
 */
export async function* readTranscript(
  agent: Agent,
  path: string,
  options: ReadOptions = {},
): AsyncGenerator<Batch> {
  const part = agent.transcripts
  if (!part) return
  const format = options.format ?? part.format(path)
  if (options.since !== undefined && options.since.stamp === currentStamp(path, format)) return
  if (format === 'database') yield* readDatabase(agent, part, path, options)
  else if (format === 'lines')
    yield* readFile(path, options, (file) => readLineFile(agent, part, path, file, options))
  else
    for (let left = rewriteReads; ; left--) {
      const [batch] = readFile(path, options, (file) => [readDocument(agent, part, path, file, options)])
      // A session must not disappear from lists while its agent writes its file anew.
      const isBeingWritten = batch?.checkpoint.stamp === '' && batch.damaged[0]?.message === notJson
      if (!isBeingWritten || left === 0) {
        if (batch) yield batch
        return
      }
      await sleep(rewriteMs)
      options.signal?.throwIfAborted()
    }
}

/** Reads an open file. A missing file yields nothing, and an unreadable one must not stop the others. */
function* readFile(
  path: string,
  { signal }: ReadOptions,
  read: (file: number) => Iterable<Batch>,
): Generator<Batch> {
  const file = openFile(path)
  if (typeof file !== 'number') {
    if (file !== undefined) yield unreadFile(path, file)
    return
  }
  try {
    yield* read(file)
  } catch (error) {
    signal?.throwIfAborted()
    yield unreadFile(path, getMessage(error))
  } finally {
    closeSync(file)
  }
}

function unreadFile(path: string, message: string): Batch {
  const checkpoint = { stamp: '', size: 0, offset: 0 }
  return { records: [], checkpoint, damaged: [{ path, offset: 0, message }], done: 0, total: 0 }
}

function* readLineFile(
  agent: Agent,
  part: TranscriptsPart,
  path: string,
  file: number,
  { since, signal }: ReadOptions,
): Generator<Batch> {
  const stats = fstatSync(file, { bigint: true })
  const total = Number(stats.size)
  const goOn = since !== undefined && hasOnlyGrown(file, total, since)
  const maker = makerFor(agent)
  const reader = part.reader!(maker, { path, ...(goOn ? { state: since.state } : {}) })
  let records: EventRecord[] = []
  let damaged: Damage[] = []
  let bytes = 0
  let offset = goOn ? since.offset : 0
  const batch = (final: boolean): Batch => {
    const full = { records, damaged, done: offset, total }
    records = []
    damaged = []
    bytes = 0
    const checkpoint = {
      // Before the end of the file, the checkpoint must not look complete.
      stamp: final ? toStamp(stats) : '',
      size: final ? total : offset - 1,
      offset,
      edges: readEdges(file, offset),
      state: reader.state(),
    }
    return { ...full, checkpoint }
  }
  for (const lines of readLines(file, offset)) {
    signal?.throwIfAborted()
    for (const line of lines) {
      const read = readLine(maker, reader, line)
      if (read === undefined) continue
      offset = line.next
      if (read === 'empty') continue
      if (read.message !== undefined) damaged.push({ path, offset: line.offset, message: read.message })
      records.push({ events: read.events, ...(read.text === undefined ? {} : { raw: read.text }) })
      bytes += line.next - line.offset
      if (bytes >= batchBytes) yield batch(false)
    }
  }
  const settled = Date.now() - Number(stats.mtimeMs) > settledMs
  const waiting = reader.isWaiting?.() === true
  if (waiting && settled) records.push({ events: reader.flush?.() ?? [] })
  // The missing record may be in the middle of a write, so the file is read again even if it does not change.
  yield batch(settled || !waiting)
}

interface ReadLine {
  readonly events: EventRecord['events']
  readonly text?: string
  readonly message?: string
}

/** Returns undefined for an incomplete line. */
function readLine(maker: EventMaker, reader: TranscriptReader, line: Line): ReadLine | 'empty' | undefined {
  if (line.buffer === undefined) {
    if (!line.whole) return undefined
    maker.next(maker.at, `${line.offset}`, `${line.next - line.offset}`)
    const message = `A record of ${line.next - line.offset} bytes is too long to be read`
    return { events: unknown(maker, 'too long', message), message }
  }
  const text = line.buffer.toString('utf8', line.start, line.end)
  if (text.trim() === '') return line.whole ? 'empty' : undefined
  let value: unknown
  try {
    value = parseJson(line.offset === 0 ? text.replace(/^\uFEFF/, '') : text)
  } catch (error) {
    return line.whole ? unreadable(maker, line, text, error) : undefined
  }
  maker.next(maker.at, `${line.offset}`, computeDigest(line.buffer.subarray(line.start, line.end)))
  const record = asRecord(value)
  let events: EventRecord['events'] | undefined
  try {
    events = record && reader.read(record)
  } catch (error) {
    return unreadable(maker, line, text, error)
  }
  // A known record may have no events.
  if (events) return events.length > 0 ? { events, text } : 'empty'
  const type = record && typeof record['type'] === 'string' ? record['type'] : 'record'
  return { events: unknown(maker, type, value), text }
}

/** A record that is not JSON, is nested too deeply, or made the agent's reader throw. */
function unreadable(maker: EventMaker, line: Line, text: string, error: unknown): ReadLine {
  maker.next(maker.at, `${line.offset}`, computeDigest(text))
  const { what, raw, message } = describeUnreadable(text, error)
  return { events: unknown(maker, what, raw), text: raw, message }
}

function readDocument(
  agent: Agent,
  part: TranscriptsPart,
  path: string,
  file: number,
  { since }: ReadOptions,
): Batch {
  const stats = fstatSync(file, { bigint: true })
  const total = Number(stats.size)
  const checkpoint = { stamp: toStamp(stats), size: total, offset: total, state: since?.state }
  const maker = makerFor(agent)
  const reader = part.reader!(maker, { path })
  const damaged: Damage[] = []
  let record: unknown
  try {
    const text = readFileSync(file, 'utf8')
    try {
      record = parseJson(text)
    } catch (error) {
      if (!(error instanceof JsonError && error.fault === 'depth')) throw error
      // A document has many records: one that is nested too deeply must not affect the others.
      record = parseJson(text, 'cut')
      damaged.push({ path, offset: 0, message: error.message })
    }
  } catch (error) {
    const large = error instanceof JsonError && error.fault === 'size'
    const message = large ? error.message : notJson
    // Probably half written: without a stamp it is read again even if it does not change.
    const isRecent = !large && Date.now() - Number(stats.mtimeMs) <= settledMs
    const position = isRecent ? { ...checkpoint, stamp: '' } : checkpoint
    return { records: [], checkpoint: position, damaged: [{ path, offset: 0, message }], done: total, total }
  }
  maker.next(0, 'document', '')
  const fields = asRecord(record)
  let events: EventRecord['events'] | undefined
  try {
    events = fields && reader.read(fields)
  } catch (error) {
    const { message } = describeUnreadable('', error)
    damaged.push({ path, offset: 0, message })
    maker.next(0, 'document', '')
  }
  events ??= unknown(maker, 'document', record)
  return { records: [{ events }], checkpoint, damaged, done: total, total }
}

async function* readDatabase(
  agent: Agent,
  part: TranscriptsPart,
  path: string,
  { since, session, signal }: ReadOptions,
): AsyncGenerator<Batch> {
  const stamp = currentStamp(path, 'database') ?? ''
  let state = since?.state
  const damaged: Damage[] = []
  try {
    using database = await openDatabase(path)
    for (const piece of part.database!.read(database, makerFor(agent), state, session)) {
      signal?.throwIfAborted()
      state = piece.state
      const checkpoint = { stamp: '', size: 0, offset: 0, state }
      yield { records: piece.records, checkpoint, damaged: [], done: 0, total: 0 }
    }
  } catch (error) {
    signal?.throwIfAborted()
    damaged.push({ path, offset: 0, message: getMessage(error) })
  }
  yield { records: [], checkpoint: { stamp, size: 0, offset: 0, state }, damaged, done: 0, total: 0 }
}

function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The source has no path, so that a moved, copied or restored file adds no events. */
export function makerFor(agent: Agent): EventMaker {
  return new EventMaker({ agent: agent.id, channel: 'transcripts', source: 'transcript' })
}

function unknown(maker: EventMaker, what: string, raw: unknown): EventRecord['events'] {
  return [maker.make({ type: 'unknown', entity: `${maker.source}/unknown/${what}`, what, raw })]
}
