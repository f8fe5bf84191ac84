import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Io } from '../command/io.ts'
import type { Input, Option, Positional } from '../command/verb.ts'
import { agentNames } from '../detection/agent-names.ts'
import { countOption, timeOption } from './time-option.ts'

/** Options that several verbs choose sessions by. */
export const filterOptions = {
  agent: {
    short: 'a',
    value: 'agent',
    choices: agentNames,
    description: `Only this agent: ${agentNames.join(', ')}`,
  },
  cwd: { value: 'folder', description: 'Only this folder and its subfolders' },
  since: { value: 'time', description: 'Only after this time: 7d, 24h, today, 2026-01-31' },
  until: { value: 'time', description: 'Only before this time; a date includes the whole day' },
} as const satisfies Record<string, Option>

/** The session that a verb works on; see `findSession`. */
export const sessionArgument: Positional = {
  name: 'session',
  required: true,
  description: 'Session id or prefix, name, or latest',
}

export interface Filter {
  readonly agent?: string
  readonly cwd?: string
  readonly since?: number
  readonly until?: number
  readonly limit?: number
}

/** What the command line says of them. Folders are told by their real path, as agents do. */
export function readFilter({ values }: Pick<Input, 'values'>, io: Pick<Io, 'cwd'>, now = Date.now()): Filter {
  const { agent, cwd, since, until, limit } = values
  return {
    ...(typeof agent === 'string' ? { agent } : {}),
    ...(typeof cwd === 'string' ? { cwd: realFolder(resolve(io.cwd, cwd)) } : {}),
    ...(typeof since === 'string' ? { since: timeOption('since', since, now) } : {}),
    ...(typeof until === 'string' ? { until: timeOption('until', until, now, 'end') } : {}),
    ...(typeof limit === 'string' ? { limit: countOption('limit', limit) } : {}),
  }
}

/** A folder that is no longer there may still have sessions. */
export function realFolder(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/**
 * The option that names an agent. It has no fixed choices, since `gemini-cli` means gemini, and it may stand there
 * several times, so that whoever takes one only can refuse the second.
 */
export const agentOption = {
  short: 'a',
  value: 'agent',
  many: true,
  description: `Only this agent: ${agentNames.join(', ')}`,
} as const satisfies Option
