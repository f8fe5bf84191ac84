import { open } from 'node:fs/promises'
import type { Agent, TranscriptReader } from '../../agent.ts'
import type { EventMaker } from '../../event-maker.ts'
import { fieldsOf } from '../../fields.ts'
import { edgesOf, hasOnlyGrown, stampOf } from './checkpoint.ts'
import { type Line, readLines } from './read-lines.ts'
import { makerFor } from './read-transcript.ts'
import type { Scan } from './scan.ts'

/** How much of a line is looked at to see what it is. */
const glanceLength = 512

/** Reads of a file, or of what was added to it, what a list of sessions shows. No events are kept. */
export async function skimLines(agent: Agent, path: string, scan: Scan): Promise<void> {
  const handle = await open(path, 'r').catch(() => undefined)
  if (!handle) return
  try {
    const stats = await handle.stat({ bigint: true })
    const size = Number(stats.size)
    const since = scan.checkpoint
    const goOn = since !== undefined && (await hasOnlyGrown(handle, size, since))
    // A file that was rewritten is another file.
    if (!goOn) scan.summaries.clear()
    const maker = makerFor(agent)
    const reader = agent.transcripts!.reader!(maker, { path, ...(goOn ? { state: since.state } : {}) })
    let offset = goOn ? since.offset : 0
    const skim = skimmer(agent, path, maker, reader, scan)
    for await (const lines of readLines(handle, offset)) {
      for (const line of lines) if (skim.line(line)) offset = line.next
      skim.keepLast()
    }
    skim.end()
    const edges = await edgesOf(handle, offset)
    scan.checkpoint = { stamp: stampOf(stats), size, offset, edges, state: reader.state() }
  } finally {
    await handle.close()
  }
}

function skimmer(agent: Agent, path: string, maker: EventMaker, reader: TranscriptReader, scan: Scan) {
  const { glance } = agent.transcripts!
  const answered = agent.transcripts!.answers?.(path)
  let skipped: Buffer | undefined

  const read = (bytes: Buffer, whole: boolean): boolean => {
    let record
    try {
      record = fieldsOf(JSON.parse(bytes.toString('utf8')))
    } catch {
      return whole
    }
    if (!record) return true
    const answer = maker.session === '' ? undefined : answered?.(record)
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
      if (whole && glance && !glance(bytes.toString('latin1', 0, glanceLength))) {
        skipped = bytes
        return true
      }
      skipped = undefined
      return read(bytes, whole)
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
