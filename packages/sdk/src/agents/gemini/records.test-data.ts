import type { Event } from '@remora/protocol'
import { computeDigest } from '../../events/digest.ts'
import { EventMaker } from '../../events/event-maker.ts'
import { asRecord } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { gemini } from './index.ts'

/** Goes on in the middle of a file with what the reader remembered, as after a restart. */
export function readInPieces(lines: readonly string[], cuts: readonly number[]): Event[] {
  const maker = () => new EventMaker({ agent: 'gemini', channel: 'transcripts', source: 'transcript' })
  let current = maker()
  let reader = gemini.transcripts.reader!(current, { path: '/x.jsonl' })
  return lines.flatMap((line, index) => {
    if (cuts.includes(index)) {
      const state: unknown = JSON.parse(JSON.stringify(reader.state()))
      current = maker()
      reader = gemini.transcripts.reader!(current, { path: '/x.jsonl', state })
    }
    const record = parse(line)
    if (!record) return []
    current.next(0, `${index}`, computeDigest(line))
    return reader.read(record) ?? []
  })
}

function parse(line: string): AgentRecord | undefined {
  try {
    return asRecord(JSON.parse(line))
  } catch {
    return undefined
  }
}
