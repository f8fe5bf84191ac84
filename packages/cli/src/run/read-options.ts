import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { RunOptions } from '@remora/sdk'
import { duration } from '../args/time-option.ts'
import { splitCommand } from '../args/split-command.ts'
import { UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'

/** The run options of the command line, without the prompt and the environment. */
export async function readOptions(input: Input, io: Io): Promise<Omit<RunOptions, 'prompt'>> {
  const text = (name: string): string | undefined => {
    const value = input.values[name]
    return typeof value === 'string' ? value : undefined
  }
  const list = (name: string): readonly string[] => input.lists[name] ?? []
  const flag = (name: string): true | undefined => (input.values[name] === true ? true : undefined)
  const time = (name: string): number | undefined => {
    const value = text(name)
    return value === undefined ? undefined : duration(name, value)
  }
  const schema = text('schema')
  const retries = text('retries')
  const timeouts = given({
    startup: time('startup-timeout'),
    idle: time('idle-timeout'),
    total: time('timeout'),
  })
  return given({
    // Paths are relative to the shell's folder, not to --cwd.
    cwd: resolve(io.cwd, text('cwd') ?? '.'),
    promptKind: flag('slash') && ('slash' as const),
    model: text('model'),
    effort: text('effort'),
    mode: text('mode'),
    resume: text('resume'),
    fork: flag('fork'),
    sessionId: text('session-id'),
    systemPrompt: text('system'),
    skipTrust: flag('skip-trust'),
    media: some(list('attach').map((path) => ({ path: resolve(io.cwd, path) }))),
    mcpServers: list('mcp').length > 0 ? mcpServers(list('mcp')) : undefined,
    allow: some(list('allow')),
    extraArgs: some(input.rest),
    timeouts: Object.keys(timeouts).length > 0 ? timeouts : undefined,
    retry: retries === undefined ? undefined : { attempts: count(retries) + 1 },
    output: schema === undefined ? undefined : await readSchema(resolve(io.cwd, schema)),
  })
}

function count(text: string): number {
  if (/^\d+$/.test(text) && Number(text) < 20) return Number(text)
  throw new UsageError(`Invalid value "${text}" for --retries`, 'Use a number from 0 to 19')
}

async function readSchema(file: string): Promise<Record<string, unknown>> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(`Cannot read ${file}: ${(error as Error).message}`, 'Check the path of --schema')
  }
  try {
    const schema: unknown = JSON.parse(text)
    if (typeof schema === 'object' && schema !== null && !Array.isArray(schema))
      return schema as Record<string, unknown>
  } catch {
    // Reported below.
  }
  throw new UsageError(
    `${file} is not a JSON schema`,
    'It must be one JSON object, such as {"type": "object", …}',
  )
}

/** Removes undefined values. */
function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

function some<T>(items: readonly T[]): readonly T[] | undefined {
  return items.length > 0 ? items : undefined
}

type Servers = NonNullable<RunOptions['mcpServers']>

const hint = 'Use --mcp "name=command and its arguments" or --mcp name=https://…'

/** Parses the MCP servers of the command line. @example mcpServers(['files=npx -y server /tmp']) */
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
