import type { TranscriptsPart } from '../../contract/agent.ts'
import { database } from './database.ts'
import { dataFolder } from './home.ts'

export const transcripts: TranscriptsPart = {
  root: dataFolder,
  // One database contains every session; builds of another release channel have their own.
  isSession: (relativePath) => /^opencode(-[\w.-]+)?\.db$/.test(relativePath),
  format: () => 'database',
  isOwnRecord: ({ tables }) =>
    Array.isArray(tables) &&
    ['session', 'message', 'part', 'project'].every((table) => tables.includes(table)),
  database,
  resume: (session) => ({ args: ['--session', session] }),
}
