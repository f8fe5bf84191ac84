import type { Io } from '../command/io.ts'

/**
 * Writes pieces of any number as fast as their reader takes them, and stops when nobody reads any more. Returns the exit
 * code: a reader who has enough, as `head`, is content.
 *
 * @example return writeAll(io, lines())
 */
export async function writeAll(io: Io, pieces: Iterable<string> | AsyncIterable<string>): Promise<number> {
  const signal = io.drain ? io.stopped?.() : undefined
  for await (const piece of pieces) {
    if (signal?.aborted) return stopCode(signal)
    io.out(piece)
    const full = io.drain?.()
    if (full) await full
  }
  return signal?.aborted ? stopCode(signal) : 0
}

/** The exit code of a command that was told to end. */
export function stopCode(signal: AbortSignal): number {
  return signal.reason === 'EPIPE' ? 0 : 130
}
