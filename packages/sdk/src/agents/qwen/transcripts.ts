import { join } from 'node:path'
import type { TranscriptsPart } from '../../contract/agent.ts'
import { asRecord } from '../../events/fields.ts'
import { toSlashes } from '../../files/paths.ts'
import { getQwenFolder } from './home.ts'
import { transcriptReader } from './transcript-reader.ts'

const uuid = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}'
/** Qwen Code moves a session that the user archives into a folder below the others. */
const session = new RegExp(`^[^/]+/chats/(?:archive/)?${uuid}\\.jsonl$`, 'i')

export const transcripts: TranscriptsPart = {
  root: (place) => join(getQwenFolder(place), 'projects'),
  isSession: (relativePath) => session.test(toSlashes(relativePath)),
  format: () => 'lines',
  // Claude's records have the same frame, but no parts.
  isOwnRecord: (record) =>
    typeof record['sessionId'] === 'string' &&
    'parentUuid' in record &&
    (Array.isArray(asRecord(record['message'])?.['parts']) ||
      asRecord(record['systemPayload']) !== undefined),
  reader: transcriptReader,
  resume: (id) => ({ args: ['--resume', id] }),
}
