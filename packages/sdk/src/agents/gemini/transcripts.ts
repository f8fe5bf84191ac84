import { join } from 'node:path'
import type { TranscriptsPart } from '../../agent.ts'
import { slashes } from '../../slashes.ts'
import { geminiFolder } from './home.ts'

export const transcripts: TranscriptsPart = {
  root: (place) => join(geminiFolder(place), 'tmp'),
  // The project's folder is a sha256 up to 0.27 and a short name after; the file is .json up to 0.38 and .jsonl after.
  isSession: (relativePath) => /^[^/]+\/chats\/session-[^/]+\.jsonl?$/.test(slashes(relativePath)),
}
