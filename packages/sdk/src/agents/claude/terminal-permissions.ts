import { unwrapped, withoutMargins } from '../screen-words.ts'

/**
 * The tool that asks, as far as the screen tells: its rows above the question, and the question. Of a long change only
 * the end is on the screen, and then the question alone names the file.
 *
 * @example toolOf([' Edit file', ' a.txt'], 'Do you want to make this edit to a.txt?', 120).tool // 'Edit'
 */
export function toolOf(
  shown: readonly string[],
  question: string,
  columns: number,
): { tool?: string; input?: unknown } {
  const [header = '', ...rows] = shown.map((row) => row.trimEnd())
  const details = paragraph(rows)
  switch (header.trim()) {
    case 'Bash command':
      return { tool: 'Bash', input: bash(details, columns) }
    case 'Create file':
    case 'Overwrite file':
      return { tool: 'Write', input: { file_path: details[0] } }
    case 'Edit file':
      return { tool: 'Edit', input: { file_path: details[0] } }
    case 'Read file':
      return { tool: 'Read', ...fileOf(details) }
    case 'Fetch':
      return { tool: 'WebFetch', ...named(unwrapped(details, columns - 8)) }
    case 'Tool use':
      return call(unwrapped(details, columns - 8))
    default:
      return byQuestion(question)
  }
}

/** The lines up to the first empty one or frame. */
function paragraph(rows: readonly string[]): string[] {
  const inner = withoutMargins(rows)
  const end = inner.findIndex((row) => row.trim() === '' || /^╌+$/.test(row))
  return inner.slice(0, end === -1 ? inner.length : end).map((row) => row.trim())
}

/** The last line is always the description; Claude makes one up where the model gave none. */
function bash(details: readonly string[], columns: number) {
  const command = unwrapped(details.length > 1 ? details.slice(0, -1) : details, columns - 8)
  return { command, ...(details.length > 1 ? { description: details.at(-1) } : {}) }
}

function fileOf(details: readonly string[]): { input?: unknown } {
  const path = /\((.+)\)$/.exec(details[0] ?? '')?.[1] ?? details[0]
  return path === undefined ? {} : { input: { file_path: path } }
}

/** Such as `desk - lookup(key: "colour") (MCP)`, with what it is for behind. */
function call(text: string): { tool?: string; input?: unknown } {
  const mcp = /^(\S.*?) - ([\w-]+)\((.*)\) \(MCP\)/s.exec(text)
  if (mcp) return { tool: `mcp__${mcp[1]}__${mcp[2]}`, ...named(mcp[3] ?? '') }
  const tool = /^(\w+)\(/.exec(text)?.[1]
  return tool === undefined ? {} : { tool }
}

/** Values by their names, such as `url: "https://…", prompt: "What?"`. */
function named(text: string): { input?: unknown } {
  const pairs = [...text.matchAll(/(\w+): ("(?:[^"\\]|\\.)*"|[\d.]+|true|false|null)(?=,|$|\n)/g)]
  const values = pairs.flatMap(([, name = '', value = '']) => {
    try {
      return [[name, JSON.parse(value) as unknown] as const]
    } catch {
      return []
    }
  })
  return values.length === 0 ? {} : { input: Object.fromEntries(values) }
}

function byQuestion(question: string): { tool?: string; input?: unknown } {
  const [, verb, file] =
    /^Do you want to (create|overwrite|make this edit to|edit) (.+)\?$/s.exec(question) ?? []
  if (file === undefined) return {}
  return { tool: verb === 'create' || verb === 'overwrite' ? 'Write' : 'Edit', input: { file_path: file } }
}
