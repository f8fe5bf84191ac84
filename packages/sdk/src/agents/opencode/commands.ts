import { join } from 'node:path'
import type { CommandsPart } from '../../contract/agent.ts'
import { readCommands, readMarkdown } from '../../dialects/command-files.ts'
import { configFolder } from './home.ts'

// Commands of 1.18.33.
const own = {
  new: 'Start a new session',
  compact: 'Summarize the session',
  init: 'Create or update AGENTS.md',
  review: 'Review changes',
  undo: 'Undo the last message',
  redo: 'Redo the last undone message',
}

export const commands: CommandsPart = {
  own: Object.entries(own).map(([name, description]) => ({ name, description, from: 'agent' })),
  async written(place) {
    const files = { ending: '.md', separator: '/', read: readMarkdown } as const
    const lists = await Promise.all(
      ['command', 'commands'].flatMap((name) => [
        readCommands({ ...files, folder: join(configFolder(place), name), from: 'user' }),
        readCommands({ ...files, folder: join(place.cwd, '.opencode', name), from: 'project' }),
      ]),
    )
    return lists.flat()
  },
}
