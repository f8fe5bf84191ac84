import { basename, dirname } from 'node:path'
import type { Event } from '@remora/protocol/plain'
import type { TranscriptFile, TranscriptReader, TranscriptsPart } from '../../contract/agent.ts'
import { type EventMaker, parseTime } from '../../events/event-maker.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { toSlashes } from '../../files/paths.ts'
import { EventReader } from './event-reader.ts'
import { getSessionsFolder } from './home.ts'

export const transcripts: TranscriptsPart = {
  root: getSessionsFolder,
  isSession: (relativePath) => /^[^/.][^/]*\/events\.jsonl$/.test(toSlashes(relativePath)),
  format: () => 'lines',
  isOwnRecord: (record) =>
    record['type'] === 'session.start' && asRecord(record['data'])?.['producer'] === 'copilot-agent',
  reader: transcriptReader,
  resume: (id) => ({ args: [`--resume=${id}`] }),
}

/** The folder of a session's file is named after it. */
function transcriptReader(maker: EventMaker, { path, state }: TranscriptFile): TranscriptReader {
  maker.session = asString(asRecord(state)?.['session']) ?? basename(dirname(path))
  const reader = new EventReader(maker, state)
  return {
    state: () => ({ ...reader.state(), session: maker.session }),
    read(record): Event[] | undefined {
      const time = parseTime(record['timestamp'])
      if (time !== undefined) maker.at = time
      if (record['type'] === 'session.start')
        maker.session = asString(asRecord(record['data'])?.['sessionId']) ?? maker.session
      const fields = reader.read(record)
      if (fields === undefined) return undefined
      if (fields.length === 0) fields.push({ type: 'session', entity: maker.session })
      fields[0]!.raw = record
      return fields.map((each) => maker.make(each))
    },
  }
}
