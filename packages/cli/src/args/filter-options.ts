import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { agentNames } from '../detection/agent-names.ts'
import type { Io } from '../command/io.ts'
import { countOption, timeOption } from './time-option.ts'
import type { Input, Option } from '../command/verb.ts'

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
