import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Io } from '../command/io.ts'
import type { Input, Option, Positional } from '../command/verb.ts'
import { agentNames } from '../detection/agent-names.ts'
import { countOption, timeOption } from './time-option.ts'

/** Options of several verbs that select sessions. */
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

/** Reads the filter options. Folders are resolved to real paths, as agents store them. */
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

/** Resolves symbolic links. A deleted folder is returned as is, since it may still have sessions. */
export function realFolder(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/**
 * The agent option of verbs that also accept other names, such as `gemini-cli`. It is repeatable, so that verbs that
 * need one agent can refuse a second.
 */
export const agentOption = {
  short: 'a',
  value: 'agent',
  many: true,
  description: `Only this agent: ${agentNames.join(', ')}`,
} as const satisfies Option
