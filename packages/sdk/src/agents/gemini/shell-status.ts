import type { ToolStatus } from '@remora/protocol/plain'
import { exitCodeOf } from './exit-code.ts'

/**
 * How a shell command ended, by what was said of it: Gemini CLI calls every command a success that it could start. The
 * text for the model tells all; what is shown to a person tells it only where the command itself said nothing.
 *
 * @example shellStatus('Output: oops\nExit Code: 3\nProcess Group PGID: 7') // 'error'
 */
export function shellStatus(text: string): ToolStatus {
  const said = text.replace(wrapping, '')
  if (said.startsWith('Command was automatically cancelled because it exceeded the timeout')) return 'timeout'
  if (/^Command (was )?cancelled by user( before it could complete)?\./.test(said)) return 'cancelled'
  if (/^Command (exited with code: -?[1-9]\d*|terminated by signal: \S+|failed: [^\n]*)$/.test(said.trim()))
    return 'error'
  // Other texts are the command's own, whatever stands at their end.
  if (!/^(Output|Command): /.test(said)) return 'success'
  return (exitCodeOf(text) ?? 0) !== 0 || killed.test(text.slice(-500)) ? 'error' : 'success'
}

/** What stands before the CLI's own words: a mark, and a notice where it left out the middle of a long output. */
const wrapping = /^(?:<untrusted_context>\n|Output too large\. [^\n]*\n)+/

/** A command that was killed has no code. Versions that always name a signal write `(none)` or, as 0.11.3, `0`. */
const killed =
  /\nSignal: (?!\(none\)|0\b)\S+\n?(?:Background PIDs: .*\n?)?(?:Process Group PGID: .*\n?)?(?:<\/untrusted_context>)?$/
