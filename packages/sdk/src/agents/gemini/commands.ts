import { join } from 'node:path'
import { parse } from 'smol-toml'
import type { CommandsPart, SlashCommand } from '../../contract/agent.ts'
import { defined, asRecord, asString } from '../../events/fields.ts'
import { readCommands, toOneLine } from '../../dialects/command-files.ts'
import { geminiFolder } from './home.ts'

// Descriptions from 0.61.0.
const own = {
  clear: 'Clear the screen and start a new session',
  compress: 'Replace the context by a summary',
  init: 'Analyze the project and create a GEMINI.md file',
  stats: 'Check session stats',
  tools: 'List available tools',
  'memory show': 'Show the current memory',
  'memory refresh': 'Read the memory files again',
  mcp: 'List MCP servers and their tools',
  'directory show': 'Show the workspace directories',
  about: 'Show version info',
  help: 'Help on Gemini CLI',
}

export const commands: CommandsPart = {
  own: Object.entries(own).map(([name, description]) => ({ name, description, from: 'agent' })),
  async written(place) {
    const files = { ending: '.toml', separator: ':', read } as const
    const lists = await Promise.all([
      readCommands({ ...files, folder: join(geminiFolder(place), 'commands'), from: 'user' }),
      readCommands({ ...files, folder: join(place.cwd, '.gemini', 'commands'), from: 'project' }),
    ])
    return lists.flat().map((command) => ({ ...command, name: plain(command.name) }))
  },
}

function read(text: string): Partial<SlashCommand> | undefined {
  try {
    const file = asRecord(parse(text))
    // The CLI ignores a command without a prompt.
    if (asString(file?.['prompt']) === undefined) return undefined
    return defined({ description: toOneLine(asString(file?.['description'])) })
  } catch {
    return undefined
  }
}

/** The CLI replaces other characters of the file name by underscores. */
function plain(name: string): string {
  return name.replaceAll(/[^\w\-.:]/g, '_')
}
