import { basename, join } from 'node:path'
import type { TranscriptsPart } from '../../contract/agent.ts'
import { asRecord } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { toSlashes } from '../../files/paths.ts'
import { getCodexFolder } from './home.ts'
import { restore } from './restore-transcript.ts'
import { transcriptReader } from './transcript-reader.ts'

export const transcripts: TranscriptsPart = {
  root: (place) => join(getCodexFolder(place), 'sessions'),
  archiveRoot: (place) => join(getCodexFolder(place), 'archived_sessions'),
  // `codex archive` moves a session into this folder.
  isSession: (relativePath) =>
    /^(?:\d{4}\/\d{2}\/\d{2}|\.\.\/archived_sessions)\/rollout-[^/]+\.jsonl$/.test(toSlashes(relativePath)),
  format: () => 'lines',
  isOwnRecord,
  reader: transcriptReader,
  // A sub-agent is a thread of its own, which starts later.
  parts: (files, main) => files.filter((path) => basename(path) > basename(main)),
  resume: (session) => ({ args: ['resume', session] }),
  restore,
}

function isOwnRecord(record: AgentRecord): boolean {
  if (record['type'] === 'session_meta') return typeof asRecord(record['payload'])?.['id'] === 'string'
  // Before 0.32 the first line was bare.
  return record['type'] === undefined && typeof record['id'] === 'string' && 'instructions' in record
}
