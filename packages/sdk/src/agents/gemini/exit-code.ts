/** Lines that may follow the exit code in the output of a shell command. */
const after = /^(?:Signal: .*|Background PIDs: .*|Process Group PGID: .*|<\/untrusted_context>|)$/

/**
 * Parses the exit code of a shell command. Gemini CLI reports it only in a line of the text for the model, and only if
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
