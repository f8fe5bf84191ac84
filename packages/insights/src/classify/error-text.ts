import { stripVTControlCharacters } from 'node:util'

/** The error of a failed call, without the lines that its CLI adds around it. */
export interface ErrorText {
  readonly text: string
  /** The exit code of the command, if the CLI reports it. */
  readonly exit?: number
}

// Gemini repeats the command line and reports its process. Neither may be mistaken for the command's output.
const frame =
  /^(?:Command: [\s\S]*?(?=\nDirectory: )|Directory: .*|Process Group PGID: .*|Background PIDs: .*|Signal: .*|Wall time: .*|Chunk ID: .*|Original token count: .*|Output: \(empty\)|Stdout: \(empty\)|Stderr: \(empty\)|Error: \(none\)|Exit Code: \(none\)|Signal: \(none\)|Process exited with code \d+|exit status: \d+)$/gm
const frameWords = /^(?:Output|Stdout|Stderr|Error): (?=\S)/gm
const exitCode =
  /^(?:Exit [Cc]ode:?|Process exited with code|exit status:|\[exit(?: code)?:?|Command failed with exit code|Command exited with code) ?(-?\d+)\]?/m

/** Longer output is cut in the middle, because the reason is at its start or its end. */
const longest = 2400

/**
 * Removes colours and the lines that a CLI adds around the error of a call.
 *
 * @example parseError('Exit code 127\nbash: jq: command not found') // { text: 'bash: jq: command not found', exit: 127 }
 */
export function parseError(error: string | undefined): ErrorText {
  if (error === undefined || error === '') return { text: '' }
  const whole = error.includes('\u001B') ? stripVTControlCharacters(error) : error
  const plain =
    whole.length > longest ? `${whole.slice(0, longest / 2)}\n${whole.slice(-longest / 2)}` : whole
  const code = exitCode.exec(plain)?.[1]
  const text = plain
    .replace(/<\/?(?:tool_use_error|untrusted_context)>/g, '')
    .replace(/^Exit [Cc]ode:? ?-?\d+\s*$/gm, '')
    .replace(frame, '')
    .replace(frameWords, '')
    .trim()
  return code === undefined ? { text } : { text, exit: Number(code) }
}

/** The line that contains a position of a text. */
export function lineAt(text: string, index: number): string {
  const start = text.lastIndexOf('\n', index - 1) + 1
  const end = text.indexOf('\n', index)
  return text.slice(start, end === -1 ? text.length : end).trim()
}

/**
 * Replaces what varies between errors of one kind: paths, addresses, numbers and quoted text.
 *
 * @example normalizeError("cat: /tmp/a1/x.txt: No such file or directory") // 'cat: …: No such file or directory'
 */
export function normalizeError(line: string, limit = 60): string {
  const text = line
    .slice(0, 400)
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '…')
    .replace(/(["'`‘“])(?:(?!\1)[^\n’”]){1,200}(?:\1|[’”])/g, '…')
    .replace(/\b[\w.-]+\/[\w./-]+/g, '…')
    .replace(/(?:[A-Za-z]:)?(?:~|\.{1,2})?[\\/][^\s:;,)\]}"'`]+/g, '…')
    .replace(/\b[\w-]+\.(?:[a-z]{1,5}|test\.[a-z]{2})\b(?!\()/g, '…')
    .replace(/\b(?:0x[\da-f]+|(?=[\da-f-]*\d)[\da-f]{7,}(?:-[\da-f]+)*)\b/gi, '…')
    .replace(/\d+(?:\.\d+)*/g, 'N')
    .replace(/…(?:[\s:]*…)+/g, '…')
    .replace(/\s+/g, ' ')
    .trim()
  return text.length > limit ? `${text.slice(0, limit - 1).trimEnd()}…` : text
}

/** Closing lines that programs print after any failure. */
const noise =
  /^(?:at .+[:)]|Node\.js v[\d.]+|npm (?:ERR!|error) (?:A complete log|\s|code |errno |Lifecycle script|\/)|make(?:\[\d+\])?: \*\*\* .*Error \d+|error Command failed with|info Visit |For more information|Try .*--help|note: |[^\p{L}]*$)/iu
const bad =
  /\b(?:error|fatal|fail(?:ed|ure)?|cannot|can't|could not|unable|not found|no such|denied|refused|invalid|missing|panic|exception|\w+(?:Error|Exception))\b/i

/**
 * The most informative line of an error: the first of a short error, the last line of long output that mentions a
 * failure, or the exit code of a command without output.
 *
 * @example findMainLine({ text: '', exit: 7 }) // 'exit code 7'
 */
export function findMainLine({ text, exit }: ErrorText): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (lines.length === 0) return exit === undefined ? '' : `exit code ${exit}`
  if (exit === undefined || lines.length < 3) return lines[0]!
  const meaningful = lines.filter((line) => !noise.test(line))
  return meaningful.findLast((line) => bad.test(line)) ?? meaningful.at(-1) ?? lines.at(-1)!
}
