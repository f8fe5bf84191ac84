import type { Io } from '../command/io.ts'

/**
 * Writes all parts with backpressure and stops if the reader is gone. Returns the exit code, which is 0 for a reader
 * such as `head`.
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

/** The exit code after a stop signal. */
export function stopCode(signal: AbortSignal): number {
  return signal.reason === 'EPIPE' ? 0 : 130
}
