import type { TranscriptsPart } from '../../contract/agent.ts'
import { toSlashes } from '../../files/paths.ts'
import { getSessionsFolder } from './home.ts'
import { transcriptReader } from './transcript-reader.ts'

const uuid = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}'
/** In a folder per project, unless the user chose the folder of the sessions. */
const session = new RegExp(`^(?:[^/]+/)?[^/]+_${uuid}\\.jsonl$`, 'i')

export const transcripts: TranscriptsPart = {
  root: getSessionsFolder,
  isSession: (relativePath) => session.test(toSlashes(relativePath)),
  format: () => 'lines',
  isOwnRecord: (record) =>
    record['type'] === 'session' && typeof record['id'] === 'string' && typeof record['cwd'] === 'string',
  reader: transcriptReader,
  resume: (id) => ({ args: ['--session', id] }),
}
