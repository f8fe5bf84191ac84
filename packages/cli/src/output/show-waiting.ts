import type { Io } from '../command/io.ts'
import { eraseLine } from './progress.ts'

/** What is done sooner needs no word. */
const afterMs = 400

/**
 * Tells a person at a terminal what is waited for, in a line that goes away with the waiting. Nothing into a pipe.
 *
 * @example const live = await showWaiting('Starting gemini …', io, () => start())
 */
export async function showWaiting<T>(text: string, io: Io, work: () => Promise<T>): Promise<T> {
  if (!io.errorTerminal) return work()
  let told = false
  const timer = setTimeout(() => {
    told = true
    io.err(text)
  }, afterMs)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
    if (told) eraseLine(io)
  }
}
