import type { ToolStatus } from '@remora/protocol/plain'
import { parseExitCode } from './exit-code.ts'

/**
 * Derives the status of a shell command from its output, because Gemini CLI reports every started command as a success.
 * The text for the model is complete; the text for the user has the status only if the command printed nothing.
 *
 * @example shellStatus('Output: oops\nExit Code: 3\nProcess Group PGID: 7') // 'error'
 */
export function shellStatus(text: string): ToolStatus {
  const body = text.replace(wrapping, '')
  if (body.startsWith('Command was automatically cancelled because it exceeded the timeout')) return 'timeout'
  if (/^Command (was )?cancelled by user( before it could complete)?\./.test(body)) return 'cancelled'
  if (/^Command (exited with code: -?[1-9]\d*|terminated by signal: \S+|failed: [^\n]*)$/.test(body.trim()))
    return 'error'
  // Other texts are the command's own output.
  if (!/^(Output|Command): /.test(body)) return 'success'
  return (parseExitCode(text) ?? 0) !== 0 || killed.test(text.slice(-500)) ? 'error' : 'success'
}

/** A prefix of the CLI's own text: a mark, and a notice if it omitted the middle of a long output. */
const wrapping = /^(?:<untrusted_context>\n|Output too large\. [^\n]*\n)+/

/** A killed command has no exit code. Versions that always name a signal write `(none)` or, like 0.11.3, `0`. */
const killed =
  /\nSignal: (?!\(none\)|0\b)\S+\n?(?:Background PIDs: .*\n?)?(?:Process Group PGID: .*\n?)?(?:<\/untrusted_context>)?$/
