import { closeSync, fstatSync } from 'node:fs'
import { parseJson } from '@remora/protocol/plain'
import type { Agent, TranscriptReader } from '../../contract/agent.ts'
import type { EventMaker } from '../../events/event-maker.ts'
import { asRecord } from '../../events/fields.ts'
import { readEdges, hasOnlyGrown, toStamp } from './checkpoint.ts'
import { type Line, openFile, readLines } from './read-lines.ts'
import { makerFor } from './read-transcript.ts'
import type { Scan } from './scan.ts'

/** Reads what a session list needs of a file, or of what was added to it. No events are kept. */
export function skimLines(agent: Agent, path: string, scan: Scan): void {
  const file = openFile(path)
  if (typeof file !== 'number') return
  try {
    const stats = fstatSync(file, { bigint: true })
    const size = Number(stats.size)
    const since = scan.checkpoint
    const goOn = since !== undefined && hasOnlyGrown(file, size, since)
    // A rewritten file is read from the start.
    if (!goOn) scan.summaries.clear()
    const maker = makerFor(agent)
    const reader = agent.transcripts!.reader!(maker, { path, ...(goOn ? { state: since.state } : {}) })
    let offset = goOn ? since.offset : 0
    const skim = skimmer(agent, path, maker, reader, scan)
    for (const lines of readLines(file, offset)) {
      for (const line of lines) if (skim.line(line)) offset = line.next
      skim.keepLast()
    }
    skim.end()
    for (const event of reader.flush?.() ?? []) scan.summary(event.session).add(event)
    const edges = readEdges(file, offset)
    scan.checkpoint = { stamp: toStamp(stats), size, offset, edges, state: reader.state() }
  } finally {
    closeSync(file)
  }
}

/** How many bytes of a line are checked to classify it. */
const beginningLength = 320

function skimmer(agent: Agent, path: string, maker: EventMaker, reader: TranscriptReader, scan: Scan) {
  const summaryReader = agent.transcripts!.summaryReader?.(path)
  // Every record is read until the session and the order of the records are known.
  const getSummaryReader = () =>
    maker.session === '' || reader.needsEveryRecord?.() ? undefined : summaryReader
  let skipped: Line | undefined
  let last: string | undefined

  const read = (text: string, whole: boolean): boolean => {
    let record
    try {
      record = asRecord(parseJson(text))
    } catch {
      return whole
    }
    if (!record) return true
    const answer = getSummaryReader()?.readRecord?.(record)
    if (answer) {
      scan.summary(maker.session).answer(answer)
      return true
    }
    maker.next(maker.at, '0')
    try {
      for (const event of reader.read(record) ?? []) scan.summary(event.session).add(event)
    } catch {
      // A list skips a record that makes the reader throw. Reading the session reports it.
    }
    return true
  }

  return {
    /** Returns false for an incomplete line. */
    line(line: Line): boolean {
      const { buffer, start, end, whole } = line
      if (!buffer || start === end) return whole
      skipped = undefined
      last = undefined
      const known = whole ? getSummaryReader() : undefined
      if (known) {
        const beginning = buffer.toString('latin1', start, Math.min(end, start + beginningLength))
        if (known.skips(beginning)) {
          skipped = line
          return true
        }
        const answer = known.readLine(buffer.subarray(start, end), beginning)
        if (answer) {
          scan.summary(maker.session).answer(answer)
          return true
        }
      }
      return read(buffer.toString('utf8', start, end), whole)
    },
    /** Copies the line, because its bytes are overwritten by the next chunk. */
    keepLast() {
      if (skipped) last = skipped.buffer!.toString('utf8', skipped.start, skipped.end)
      skipped = undefined
    },
    /** The last line of any kind has the time of the last use. */
    end() {
      if (last !== undefined) read(last, true)
    },
  }
}
