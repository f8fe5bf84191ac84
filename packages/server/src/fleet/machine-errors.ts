import { type LiveInfo, RemoraError } from '@remora/protocol'

/** Why a command cannot reach a machine. @example describeOffline('desktop', 130_000) */
export function describeOffline(name: string, silentMs: number): string {
  return `Machine ${name} has been offline for ${formatDuration(silentMs)}. Restart its server (remora serve) or check its database connection.`
}

/** The error of an action that only the machine of a session supports. */
export function createElsewhereError(what: string, name: string, hint: string): RemoraError {
  return new RemoraError('unsupported', `${what} only on machine ${name}`, { hint })
}

/** The machine's name, of a session on another machine. */
export function getMachineName({ node }: LiveInfo): string {
  return node?.name ?? 'this machine'
}

function formatDuration(ms: number): string {
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
