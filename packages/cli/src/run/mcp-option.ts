import type { RunOptions } from '@remora/sdk'
import { UsageError } from '../command/errors.ts'
import { splitCommand } from '../args/split-command.ts'

type Servers = NonNullable<RunOptions['mcpServers']>

const hint = 'Use --mcp "name=command and its arguments" or --mcp name=https://…'

/** MCP servers as they stand on the command line. @example mcpServers(['files=npx -y server /tmp']) */
export function mcpServers(options: readonly string[]): Servers {
  const servers: Record<string, Servers[string]> = {}
  for (const option of options) {
    const [, name, what] = /^([\w-]+)=(.+)$/s.exec(option) ?? []
    if (name === undefined || what === undefined)
      throw new UsageError(`Invalid value "${option}" for --mcp`, hint)
    if (Object.hasOwn(servers, name)) throw new UsageError(`--mcp uses the name "${name}" twice`, hint)
    servers[name] = /^https?:\/\//.test(what) ? { url: what } : program(option, what)
  }
  return servers
}

function program(option: string, line: string): Servers[string] {
  const [command, ...args] = splitCommand(line) ?? []
  if (command === undefined)
    throw new UsageError(`Invalid value "${option}" for --mcp`, 'Close the quotes, and name a command')
  return { command, args }
}
