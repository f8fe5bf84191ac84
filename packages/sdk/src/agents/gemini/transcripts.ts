import { join } from 'node:path'
import type { TranscriptsPart } from '../../contract/agent.ts'
import { toSlashes } from '../../files/paths.ts'
import { guard, findAppliedGuard } from './guard.ts'
import { geminiFolder } from './home.ts'
import { protect } from './protect-resume.ts'
import { restore } from './restore-transcript.ts'
import { hashProject, parseSubagentPath } from './session-place.ts'
import { summaryReader } from './summary-reader.ts'
import { transcriptReader } from './transcript-reader.ts'

export const transcripts: TranscriptsPart = {
  root: (place) => join(geminiFolder(place), 'tmp'),
  // The project's folder is a sha256 up to 0.27 and a short name since; the file is .json up to 0.38 and .jsonl since.
  // Sub-agents write to a folder named by the session id.
  isSession: (relativePath) =>
    /^[^/]+\/chats\/(?:session-[^/]+|[^/]+\/[^/]+)\.jsonl?$/.test(toSlashes(relativePath)),
  format: (path) => (path.endsWith('.json') ? 'document' : 'lines'),
  isOwnRecord: (record) =>
    typeof record['sessionId'] === 'string' && typeof record['projectHash'] === 'string',
  reader: transcriptReader,
  summaryReader: (path) => (parseSubagentPath(path) ? undefined : summaryReader()),
  belongs: (path, cwd) => path.split(/[\\/]/).includes(hashProject(cwd)),
  resume: (session) => ({ args: ['--resume', session] }),
  guard,
  findAppliedGuard,
  protect,
  restore,
}
