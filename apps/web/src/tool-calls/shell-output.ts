import { type ToolCall, getOutputText } from './call.ts'
import { toFields, toList, text } from './fields.ts'

export interface ShellOutput {
  readonly output: string
  readonly exitCode: number | undefined
}

const done = new WeakMap<ToolCall, ShellOutput>()

/** The output and exit status of a command, in any format of the agents. */
export function parseShellOutput(call: ToolCall): ShellOutput {
  const before = done.get(call)
  if (before) return before
  const made = read(call)
  done.set(call, made)
  return made
}

function read(call: ToolCall): ShellOutput {
  const text = getOutputText(call)
  const code =
    /^Exit code:? (-?\d+)(?:\n|$)/i.exec(text)?.[1] ?? /(?:^|\n)Exit Code: (-?\d+)(?:\n|$)/.exec(text)?.[1]
  const exitCode = code === undefined ? undefined : Number(code)
  return { output: shown(call.result?.display) ?? clean(text), exitCode }
}

/** The output shown by the agent: text, two streams, or screen cells. */
function shown(display: unknown): string | undefined {
  if (typeof display === 'string') return text(display)
  const { stdout, stderr } = toFields(display)
  const streams = [text(stdout), text(stderr)].filter((each) => each !== undefined)
  if (streams.length > 0) return streams.join('\n')
  const rows = toList(display)
  if (rows.length === 0 || !rows.every(Array.isArray)) return undefined
  return rows
    .map((row) =>
      toList(row)
        .map((cell) => text(toFields(cell)['text']) ?? '')
        .join('')
        .trimEnd(),
    )
    .join('\n')
    .trimEnd()
}

/** Removes the text that agents add for the model. */
function clean(text: string): string {
  if (!text.startsWith('Output: ')) return text.replace(/^Exit code:? -?\d+(?:\n|$)/i, '')
  const lines = text.slice('Output: '.length).split('\n')
  while (/^(?:Exit Code|Signal|Background PIDs|Process Group PGID): /.test(lines.at(-1) ?? '')) lines.pop()
  const output = lines.join('\n')
  return output === '(empty)' ? '' : output
}
