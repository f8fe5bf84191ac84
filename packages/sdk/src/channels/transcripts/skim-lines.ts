import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { Agent, TranscriptReader } from '../../agent.ts'
import type { EventMaker } from '../../event-maker.ts'
import { fieldsOf } from '../../fields.ts'
import { edgesOf, hasOnlyGrown, stampOf } from './checkpoint.ts'
import { type Line, LineCutter, chunkSize } from './read-lines.ts'
import { makerFor } from './read-transcript.ts'
import type { Scan } from './scan.ts'

/** One for all: a buffer for each of a thousand small files would cost more than reading them. */
const chunk = Buffer.allocUnsafe(chunkSize)

/**
 * Reads of a file, or of what was added to it, what a list of sessions shows. No events are kept. It reads without
 * giving way, since a thousand waits for a thousand small files take longer than the files.
 */
export function skimLines(agent: Agent, path: string, scan: Scan): void {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return
  }
  try {
    const stats = fstatSync(file, { bigint: true })
    const size = Number(stats.size)
    const since = scan.checkpoint
    const goOn = since !== undefined && hasOnlyGrown(file, size, since)
    // A file that was rewritten is another file.
    if (!goOn) scan.summaries.clear()
    const maker = makerFor(agent)
    const reader = agent.transcripts!.reader!(maker, { path, ...(goOn ? { state: since.state } : {}) })
    let offset = goOn ? since.offset : 0
    const cutter = new LineCutter(offset)
    const skim = skimmer(agent, path, maker, reader, scan)
    const take = (lines: readonly Line[]): void => {
      for (const line of lines) if (skim.line(line)) offset = line.next
      skim.keepLast()
    }
    for (;;) {
      const length = readSync(file, chunk, 0, chunk.length, cutter.position)
      if (length === 0) break
      take(cutter.cut(chunk.subarray(0, length)))
    }
    take(cutter.rest())
    skim.end()
    const edges = edgesOf(file, offset)
    scan.checkpoint = { stamp: stampOf(stats), size, offset, edges, state: reader.state() }
  } finally {
    closeSync(file)
  }
}

function skimmer(agent: Agent, path: string, maker: EventMaker, reader: TranscriptReader, scan: Scan) {
  const glance = agent.transcripts!.glance?.(path)
  let skipped: Buffer | undefined

  const read = (bytes: Buffer, whole: boolean): boolean => {
    let record
    try {
      record = fieldsOf(JSON.parse(bytes.toString('utf8')))
    } catch {
      return whole
    }
    if (!record) return true
    // Until it is known whose file it is, every record is read.
    const answer = maker.session === '' ? undefined : glance?.answer(record)
    if (answer) {
      scan.summary(maker.session).answer(answer)
      return true
    }
    maker.next(maker.at, '0')
    for (const event of reader.read(record) ?? []) scan.summary(event.session).add(event)
    return true
  }

  return {
    /** False for a line that is not whole yet. */
    line({ bytes, whole }: Line): boolean {
      if (!bytes || bytes.length === 0) return whole
      skipped = whole && glance?.skips(bytes) ? bytes : undefined
      return skipped ? true : read(bytes, whole)
    },
    /** The bytes of a line are gone with the next chunk. */
    keepLast() {
      if (skipped) skipped = Buffer.from(skipped)
    },
    /** The last line tells when the session was last used, whatever it is. */
    end() {
      if (skipped) read(skipped, true)
    },
  }
}
