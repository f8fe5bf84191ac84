import type { CallEntry } from '@remora/ledger'
import { type Desire, desires } from './analysis/desire.ts'

/** The current time in tests. */
export const now = Date.UTC(2026, 9, 20, 12)
export const day = 86_400_000
export const minute = 60_000

let last = 0

/** A call that succeeded just now in one session of Claude, with the given differences. */
export function call(about: Partial<CallEntry> = {}): CallEntry {
  const id = ++last
  const status = about.status ?? (about.error === undefined ? 'success' : 'error')
  return {
    id,
    agent: 'claude',
    session: 's1',
    entity: `call:${id}`,
    channel: 'transcripts',
    tool: 'Bash',
    native: about.tool ?? 'Bash',
    input: { command: 'true' },
    at: now + id,
    status,
    failed: status !== 'success' && status !== 'running',
    turn: 1,
    ...about,
  }
}

/** A shell command that failed with an error. */
export function failedShell(command: string, error: string, about: Partial<CallEntry> = {}): CallEntry {
  return call({ input: { command }, error, ...about })
}

export function missing(command: string, about: Partial<CallEntry> = {}): CallEntry {
  return failedShell(`${command} .`, `Exit code 127\nbash: line 1: ${command}: command not found`, about)
}

/** One failed call with its class. */
export function desire(about: Partial<CallEntry> = {}): Desire {
  return desires([call({ error: 'Exit code 1', ...about })])[0]!
}
