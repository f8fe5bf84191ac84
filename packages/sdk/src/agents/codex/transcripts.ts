import { join } from 'node:path'
import type { TranscriptsPart } from '../../agent.ts'
import { slashes } from '../../slashes.ts'
import { codexFolder } from './home.ts'

export const transcripts: TranscriptsPart = {
  root: (place) => join(codexFolder(place), 'sessions'),
  isSession: (relativePath) => /^\d{4}\/\d{2}\/\d{2}\/rollout-[^/]+\.jsonl$/.test(slashes(relativePath)),
}
