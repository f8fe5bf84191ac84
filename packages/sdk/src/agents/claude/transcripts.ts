import { join } from 'node:path'
import type { TranscriptsPart } from '../../agent.ts'
import { slashes } from '../../slashes.ts'
import { claudeFolder } from './home.ts'

export const transcripts: TranscriptsPart = {
  root: (place) => join(claudeFolder(place), 'projects'),
  // A session is named by its uuid; sub-agents write agent-*.jsonl files, which are parts of a session.
  isSession: (relativePath) =>
    /^[^/]+\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.jsonl$/i.test(slashes(relativePath)),
}
