import type { Io } from '../command/io.ts'
import { eraseLine } from './progress.ts'

/** Faster work needs no message. */
const afterMs = 400

/**
 * Shows a line on the terminal while `work` runs, and erases it afterwards. Nothing is printed into a pipe.
 *
 * @example const live = await showWaiting('Starting gemini …', io, () => start())
 */
export async function showWaiting<T>(text: string, io: Io, work: () => Promise<T>): Promise<T> {
  if (!io.errorTerminal) return work()
  let isShown = false
  const timer = setTimeout(() => {
    isShown = true
    io.err(text)
  }, afterMs)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
    if (isShown) eraseLine(io)
  }
}
