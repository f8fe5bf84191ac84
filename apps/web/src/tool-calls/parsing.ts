import { getOutputText, type ToolCall } from './call.ts'
import { text, toFields, toList } from './fields.ts'

/** File text without line number prefixes, and the line numbers. */
export interface NumberedText {
  readonly text: string
  readonly numbers: number | readonly (number | undefined)[]
}

const numberedLines = [
  // Claude
  /^\s*(\d+)(?:→|\t)(.*)$/,
  // OpenCode, earlier and today
  /^(\d{5})\| ?(.*)$/,
  /^(\d+): ?(.*)$/,
]

/** @example parseNumberedText('     1→a\n     2→b') // { text: 'a\nb', numbers: [1, 2] } */
export function parseNumberedText(output: string, offset = 1): NumberedText {
  const inner =
    /^(?:<path>[\s\S]*?<\/path>\s*)?(?:<type>[\s\S]*?<\/type>\s*)?<(file|content)>\n?([\s\S]*?)\n?(?:<\/\1>[\s\S]*)?$/.exec(
      output,
    )
  const body = inner?.[2] ?? output
  const lines = body.replace(/\n$/, '').split('\n')
  // One format applies to the whole file, because code may contain similar lines.
  for (const form of numberedLines.slice(0, inner ? numberedLines.length : 2)) {
    const first = form.exec(lines[0] ?? '')
    if (!first) continue
    const numbers: (number | undefined)[] = []
    const texts: string[] = []
    for (const line of lines) {
      const match = form.exec(line)
      numbers.push(match ? Number(match[1]) : undefined)
      texts.push(match ? match[2]! : line)
    }
    return { text: texts.join('\n'), numbers }
  }
  return { text: lines.join('\n'), numbers: offset }
}

/** The matches in one file. */
export interface FoundFile {
  readonly path: string
  readonly lines: readonly { readonly number: number | undefined; readonly text: string }[]
}

/**
 * The files and lines of a search in the formats of the agents; undefined for other output.
 *
 * @example parseFoundFiles('a.ts:3:let x') // [{ path: 'a.ts', lines: [{ number: 3, text: 'let x' }] }]
 */
export function parseFoundFiles(output: string): readonly FoundFile[] | undefined {
  const files = new Map<string, { number: number | undefined; text: string }[]>()
  const lines = output.split('\n')
  let current: string | undefined
  let known = 0
  let strange = 0
  for (const line of lines) {
    if (line.trim() === '' || line === '---' || line === '--' || isRemark(line)) continue
    const labelled = /^File: (.+)$/.exec(line)
    const bare = /^((?:\/|[A-Za-z]:[\\/]).*):$/.exec(line)
    const header = labelled?.[1] ?? bare?.[1]
    if (header !== undefined) {
      current = header
      put(header)
      continue
    }
    const below = /^\s*(?:L(\d+)|Line (\d+)): ?(.*)$/.exec(line)
    if (below && current !== undefined) {
      put(current, Number(below[1] ?? below[2]), below[3])
      continue
    }
    const inline = /^((?:[A-Za-z]:[\\/])?[^:\n]+?)[:-](\d+)[:-](.*)$/.exec(line)
    if (inline && /[./\\]/.test(inline[1]!)) {
      put(inline[1]!, Number(inline[2]), inline[3])
      continue
    }
    strange++
  }
  return known > 0 && strange <= known / 4
    ? [...files].map(([path, found]) => ({ path, lines: found }))
    : undefined

  function put(path: string, number?: number, text?: string): void {
    known++
    const list = files.get(path) ?? []
    if (text !== undefined) list.push({ number, text })
    files.set(path, list)
  }
}

/** The paths of a file list, without the text around them. */
export function parseFoundPaths(output: string): readonly string[] {
  return output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== '---' && !isRemark(line))
}

function isRemark(line: string): boolean {
  return /^(?:\[?(?:Found \d+|No (?:files|matches|file)|Directory listing|\(Results are|\(?Note:|Listed \d+))/i.test(
    line,
  )
}

interface ShellOutput {
  readonly output: string
  readonly exitCode: number | undefined
}

const shellOutputs = new WeakMap<ToolCall, ShellOutput>()

/** The output and exit status of a command, in any format of the agents. */
export function parseShellOutput(call: ToolCall): ShellOutput {
  const before = shellOutputs.get(call)
  if (before) return before
  const made = readShellOutput(call)
  shellOutputs.set(call, made)
  return made
}

function readShellOutput(call: ToolCall): ShellOutput {
  const text = getOutputText(call)
  const code =
    /^Exit code:? (-?\d+)(?:\n|$)/i.exec(text)?.[1] ?? /(?:^|\n)Exit Code: (-?\d+)(?:\n|$)/.exec(text)?.[1]
  const exitCode = code === undefined ? undefined : Number(code)
  return { output: formatDisplay(call.result?.display) ?? removeModelText(text), exitCode }
}

/** The output shown by the agent: text, two streams, or screen cells. */
function formatDisplay(display: unknown): string | undefined {
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
function removeModelText(text: string): string {
  if (!text.startsWith('Output: ')) return text.replace(/^Exit code:? -?\d+(?:\n|$)/i, '')
  const lines = text.slice('Output: '.length).split('\n')
  while (/^(?:Exit Code|Signal|Background PIDs|Process Group PGID): /.test(lines.at(-1) ?? '')) lines.pop()
  const output = lines.join('\n')
  return output === '(empty)' ? '' : output
}

interface Todo {
  readonly content: string
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled'
}

/** The entries of a to-do list, in any format of the agents. */
export function listTodos({ input }: ToolCall): readonly Todo[] {
  const list = [input['todos'], input['tasks'], input['items'], input['plan']].find(Array.isArray)
  return toList(list).flatMap((entry) => {
    const fields = toFields(entry)
    const content =
      text(entry) ??
      text(fields['content']) ??
      text(fields['description']) ??
      text(fields['task_description']) ??
      text(fields['step']) ??
      text(fields['title'])
    return content === undefined ? [] : [{ content, status: readStatus(fields) }]
  })
}

function readStatus({ status, completed }: Readonly<Record<string, unknown>>): Todo['status'] {
  if (completed === true || status === 'done') return 'completed'
  return status === 'in_progress' || status === 'completed' || status === 'cancelled' ? status : 'pending'
}
