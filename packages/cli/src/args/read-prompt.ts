import { UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'

/** The prompt: the word on the command line, or standard input for `-` and where there is no word. */
export async function readPrompt(word: string | undefined, attached: boolean, io: Io): Promise<string> {
  if (word !== undefined && word !== '-') return word
  const input = io.stdin
  if (word === undefined && (!input || input.terminal)) {
    // A picture may speak for itself.
    if (attached) return ''
    throw new UsageError('The prompt is missing', 'Pass it: remora run <agent> "…", or pipe it in')
  }
  const text = (await input?.read()) ?? ''
  if (text.trim() === '' && !attached)
    throw new UsageError('The prompt is missing: standard input is empty', 'Pass it: remora run <agent> "…"')
  return text
}
