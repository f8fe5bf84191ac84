import type { TranscriptsPart } from '../../agent.ts'
import { dataFolder } from './home.ts'

export const transcripts: TranscriptsPart = {
  root: dataFolder,
  // One database holds every session.
  isSession: (relativePath) => relativePath === 'opencode.db',
}
