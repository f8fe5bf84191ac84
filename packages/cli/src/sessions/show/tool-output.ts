import type { ToolResultBlock, ToolUseBlock } from '@remora/protocol/plain'

type Fields = Readonly<Record<string, unknown>>

/** The text of a tool result; media by their kind. */
export function outputText(content: ToolResultBlock['content']): string {
  if (content === undefined) return ''
  if (typeof content === 'string') return content
  return content
    .map((block) => (block.type === 'text' ? block.text : `◆ ${block.type} ${block.name ?? ''}`.trimEnd()))
    .join('\n')
}

/**
 * The file changes of a call as diff lines: as the agent reports them, or else from the call's input.
 */
export function createDiff(
  { name, input }: Pick<ToolUseBlock, 'name' | 'input'>,
  result: Pick<ToolResultBlock, 'display' | 'status'> | undefined,
): string[] | undefined {
  const shown = displayed(result?.display)
  if (shown) return shown
  // A failed call changed nothing.
  if (result && result.status !== 'success') return undefined
  const { old_string, new_string, content } = toFields(input)
  if (name === 'Edit' && typeof old_string === 'string' && typeof new_string === 'string')
    return [...marked('-', old_string), ...marked('+', new_string)]
  if (name === 'Write' && typeof content === 'string') return marked('+', content)
  return undefined
}

function displayed(display: unknown): string[] | undefined {
  if (Array.isArray(display)) {
    const hunks = display.map(toFields).filter(({ lines }) => Array.isArray(lines))
    return hunks.length === 0 ? undefined : hunks.flatMap(hunk)
  }
  const fields = toFields(display)
  if (typeof fields['fileDiff'] === 'string') return unified(fields['fileDiff'])
  const changes = Object.entries(fields).flatMap(([path, value]) => change(path, toFields(value)))
  return changes.length === 0 ? undefined : changes
}

function hunk({ oldStart, oldLines, newStart, newLines, lines }: Fields): string[] {
  return [
    `@@ -${String(oldStart)},${String(oldLines)} +${String(newStart)},${String(newLines)} @@`,
    ...(lines as unknown[]).map(String),
  ]
}

/** One file of a change. */
function change(path: string, { type, unified_diff, content }: Fields): string[] {
  if (typeof unified_diff === 'string') return [`@@ ${path}`, ...unified(unified_diff)]
  if (type === 'add' && typeof content === 'string') return [`@@ ${path}`, ...marked('+', content)]
  return type === 'delete' ? [`@@ ${path}`, ...(typeof content === 'string' ? marked('-', content) : [])] : []
}

/** A unified diff without its file headers, since the call names the file. */
function unified(diff: string): string[] {
  const lines = withoutEnd(diff).split('\n')
  const start = lines.findIndex((line) => line.startsWith('@@'))
  return start < 0 ? lines : lines.slice(start)
}

function marked(mark: '+' | '-', text: string): string[] {
  return text === ''
    ? []
    : withoutEnd(text)
        .split('\n')
        .map((line) => mark + line)
}

function withoutEnd(text: string): string {
  return text.replace(/\r?\n$/, '')
}

/** Keeps the first and last lines of a long text, with the number of hidden lines. */
export function foldLines(
  lines: readonly string[],
  first: number,
  last: number,
): { readonly lines: readonly string[]; readonly hidden: number; readonly at: number } {
  // Hiding a single line saves nothing.
  if (lines.length <= first + last + 1) return { lines, hidden: 0, at: lines.length }
  return {
    lines: [...lines.slice(0, first), ...lines.slice(-last)],
    hidden: lines.length - first - last,
    at: first,
  }
}

function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}
