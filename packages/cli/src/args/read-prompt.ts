import { UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'

/** The prompt argument, or standard input if it is `-` or missing. */
export async function readPrompt(word: string | undefined, attached: boolean, io: Io): Promise<string> {
  if (word !== undefined && word !== '-') return word
  const input = io.stdin
  if (word === undefined && (!input || input.terminal)) {
    // An attachment needs no prompt.
    if (attached) return ''
    throw new UsageError('The prompt is missing', 'Pass it: remora run <agent> "…", or pipe it in')
  }
  const text = (await input?.read()) ?? ''
  if (text.trim() === '' && !attached)
    throw new UsageError('The prompt is missing: standard input is empty', 'Pass it: remora run <agent> "…"')
  return text
}
