import { type LiveInfo, RemoraError } from '@remora/protocol'

/** Why nothing is sent to a machine. @example silence('desktop', 130_000) */
export function silence(name: string, silentMs: number): string {
  return `The machine ${name} has not been heard of for ${durationOf(silentMs)}. Start its server again (remora serve), or look whether it reaches the database`
}

/** What can be done only where a session goes on. */
export function elsewhere(what: string, name: string, hint: string): RemoraError {
  return new RemoraError('unsupported', `${what} on the machine ${name}, and there only`, { hint })
}

/** The machine's name, of a session that goes on elsewhere. */
export function machineOf({ node }: LiveInfo): string {
  return node?.name ?? 'this machine'
}

function durationOf(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 100) return count(seconds, 'second')
  if (seconds < 5400) return count(Math.round(seconds / 60), 'minute')
  return seconds < 130_000
    ? count(Math.round(seconds / 3600), 'hour')
    : count(Math.round(seconds / 86_400), 'day')
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}
