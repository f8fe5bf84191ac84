import { join } from 'node:path'
import type { CommandsPart } from '../../contract/agent.ts'
import { readCommands, readMarkdown } from '../../dialects/command-files.ts'
import { getCodexFolder } from './home.ts'

// The descriptions of 0.166.0.
const own = {
  new: 'Start a new chat during a conversation',
  compact: 'Summarize the conversation to prevent hitting the context limit',
  review: 'Review my current changes and find issues',
  init: 'Create an AGENTS.md file with instructions for Codex',
  status: 'Show current session configuration and token usage',
  diff: 'Show git diff, including untracked files',
  plan: 'Switch to Plan mode',
}

export const commands: CommandsPart = {
  own: Object.entries(own).map(([name, description]) => ({ name, description, from: 'agent' })),
  async written(place) {
    const folder = join(getCodexFolder(place), 'prompts')
    const found = await readCommands({ folder, from: 'user', ending: '.md', read: readMarkdown })
    return found.map((command) => ({ ...command, name: `prompts:${command.name}` }))
  },
}
