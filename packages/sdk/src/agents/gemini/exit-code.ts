/** What may follow the line of the exit code in what a shell command gave back. */
const after = /^(?:Signal: .*|Background PIDs: .*|Process Group PGID: .*|<\/untrusted_context>|)$/

/**
 * The code with which a shell command ended, which Gemini CLI tells nowhere but in a line of the text for the model, and
 * only if it is not 0. Lines of the command's own output that look the same do not count: they stand before others.
 *
 * @example exitCodeOf('Output: oops\nExit Code: 3\nProcess Group PGID: 7') // 3
 */
export function exitCodeOf(text: string): number | undefined {
  // The line is near the end of a text that may be long.
  const lines = text.slice(-4096).split('\n')
  while (lines.length > 0 && after.test(lines.at(-1)!)) lines.pop()
  const code = /^\[?Exit Code: (-?\d+)\]?$/.exec(lines.at(-1) ?? '')?.[1]
  return code === undefined ? undefined : Number(code)
}
