import type { TranscriptsPart } from '../../contract/agent.ts'
import { toSlashes } from '../../files/paths.ts'
import { getSessionsFolder } from './home.ts'
import { transcriptReader } from './transcript-reader.ts'

export const transcripts: TranscriptsPart = {
  root: getSessionsFolder,
  // The files of sub-agents are beside that of the main agent. Its call has what they answer.
  isSession: (relativePath) => /^[^/.][^/]*\/[^/]+\/agents\/main\/wire\.jsonl$/.test(toSlashes(relativePath)),
  format: () => 'lines',
  isOwnRecord: (record) => record['type'] === 'metadata' && typeof record['protocol_version'] === 'string',
  reader: transcriptReader,
  resume: (id) => ({ args: ['--session', id] }),
}
