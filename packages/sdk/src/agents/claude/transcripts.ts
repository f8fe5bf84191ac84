import { basename, dirname, join } from 'node:path'
import type { TranscriptsPart } from '../../contract/agent.ts'
import { asRecord } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { toSlashes } from '../../files/paths.ts'
import { getClaudeFolder } from './home.ts'
import { summaryReader } from './summary-reader.ts'
import { guard, findAppliedGuard } from './guard.ts'
import { restore } from './restore-transcript.ts'
import { transcriptReader } from './transcript-reader.ts'
import { parseOwner } from './transcript-threads.ts'

const uuid = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}'

// A session is named by its uuid. Its sub-agents write into a folder of that name; in older versions, beside it.
const session = new RegExp(
  `^[^/]+/(?:${uuid}|agent-[^/]+|${uuid}/subagents/(?:[^/]+/)*agent-[^/]+)\\.jsonl$`,
  'i',
)

export const transcripts: TranscriptsPart = {
  root: (place) => join(getClaudeFolder(place), 'projects'),
  isSession: (relativePath) => session.test(toSlashes(relativePath)),
  format: () => 'lines',
  isOwnRecord,
  reader: transcriptReader,
  // Sub-agents of older versions wrote beside the session.
  parts: (files, main) =>
    files.filter((path) => dirname(path) === dirname(main) && basename(path).startsWith('agent-')),
  summaryReader: (path) => (parseOwner(path).agent === undefined ? summaryReader : undefined),
  resume: (id) => ({ args: ['--resume', id] }),
  guard,
  findAppliedGuard,
  restore,
}

function isOwnRecord(record: AgentRecord): boolean {
  const type = record['type']
  if (type === 'summary') return typeof record['leafUuid'] === 'string'
  if (type === 'file-history-snapshot') return typeof record['messageId'] === 'string'
  if (typeof type !== 'string' || typeof record['sessionId'] !== 'string') return false
  if (type !== 'user' && type !== 'assistant') return record['projectHash'] === undefined
  // Other agents use the same records with messages of another shape.
  const content = asRecord(record['message'])?.['content']
  return 'parentUuid' in record && (typeof content === 'string' || Array.isArray(content))
}
