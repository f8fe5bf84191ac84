import { stripVTControlCharacters } from 'node:util'

/** What a failed call said, without the frame that its CLI put around it. */
export interface ErrorText {
  readonly text: string
  /** The code with which a command ended, where the CLI tells it. */
  readonly exit?: number
}

// Gemini repeats the command and tells of its process; a command line must not be taken for what the command said.
const frame =
  /^(?:Command: [\s\S]*?(?=\nDirectory: )|Directory: .*|Process Group PGID: .*|Background PIDs: .*|Signal: .*|Wall time: .*|Chunk ID: .*|Original token count: .*|Output: \(empty\)|Stdout: \(empty\)|Stderr: \(empty\)|Error: \(none\)|Exit Code: \(none\)|Signal: \(none\)|Process exited with code \d+|exit status: \d+)$/gm
const frameWords = /^(?:Output|Stdout|Stderr|Error): (?=\S)/gm
const exitCode =
  /^(?:Exit [Cc]ode:?|Process exited with code|exit status:|\[exit(?: code)?:?|Command failed with exit code|Command exited with code) ?(-?\d+)\]?/m

/** Of long output the reason stands at one of its ends. */
const longest = 2400

/**
 * Takes the frame of a CLI off what a call gave back, and colours too.
 *
 * @example errorText('Exit code 127\nbash: jq: command not found') // { text: 'bash: jq: command not found', exit: 127 }
 */
export function errorText(error: string | undefined): ErrorText {
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

/** The line of a text in which a place lies. */
export function lineAt(text: string, index: number): string {
  const start = text.lastIndexOf('\n', index - 1) + 1
  const end = text.indexOf('\n', index)
  return text.slice(start, end === -1 ? text.length : end).trim()
}

/**
 * What is the same each time such an error occurs: without paths, addresses, numbers and quoted words.
 *
 * @example normalised("cat: /tmp/a1/x.txt: No such file or directory") // 'cat: …: No such file or directory'
 */
export function normalised(line: string, limit = 60): string {
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
