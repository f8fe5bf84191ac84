import type { ToolStatus } from '@remora/protocol/plain'

/**
 * Derives the status of a shell command from its output, because Gemini CLI and its forks report every started command
 * as a success. The text for the model is complete; the text for the user has the status only if the command printed
 * nothing.
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

/** Lines that may follow the exit code in the output of a shell command. */
const after = /^(?:Signal: .*|Background PIDs: .*|Process Group PGID: .*|<\/untrusted_context>|)$/

/**
 * Parses the exit code of a shell command. The CLIs report it only in a line of the text for the model, and Gemini CLI only if
 * it is not 0. Similar lines of the command's own output are not at the end and do not count.
 *
 * @example parseExitCode('Output: oops\nExit Code: 3\nProcess Group PGID: 7') // 3
 */
export function parseExitCode(text: string): number | undefined {
  // Only the end is searched, because the text may be long.
  const lines = text.slice(-4096).split('\n')
  while (lines.length > 0 && after.test(lines.at(-1)!)) lines.pop()
  const code = /^\[?Exit Code: (-?\d+)\]?$/.exec(lines.at(-1) ?? '')?.[1]
  return code === undefined ? undefined : Number(code)
}
