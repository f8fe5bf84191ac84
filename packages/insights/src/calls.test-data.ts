import type { CallEntry } from '@remora/ledger'
import { type Desire, desires } from './desire.ts'

/** The time at which tests happen. */
export const now = Date.UTC(2026, 9, 20, 12)
export const day = 86_400_000
export const minute = 60_000

let last = 0

/** A call that succeeded just now in one session of Claude, but for what a test says of it. */
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

/** A shell command that failed with what it said. */
export function failedShell(command: string, error: string, about: Partial<CallEntry> = {}): CallEntry {
  return call({ input: { command }, error, ...about })
}

export function missing(command: string, about: Partial<CallEntry> = {}): CallEntry {
  return failedShell(`${command} .`, `Exit code 127\nbash: line 1: ${command}: command not found`, about)
}

/** One failed call, told why. */
export function desire(about: Partial<CallEntry> = {}): Desire {
  return desires([call({ error: 'Exit code 1', ...about })])[0]!
}
