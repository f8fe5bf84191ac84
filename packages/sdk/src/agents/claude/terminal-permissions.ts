import { type ShownTool, findShownTool } from '../../contract/tools.ts'
import { withoutMargins } from '../../dialects/screen-text.ts'
import { tools } from './tools.ts'

/**
 * Reads the tool from the rows above the question of a permission dialog.
 *
 * The screen does not show where a wrapped text had spaces or newlines, nor spaces at the end of a row. So a field is
 * only given where it takes one row and everything around it is as expected. The dialog's body has the rest.
 *
 * @example getTool([' Edit file', ' a.txt', '╌╌╌╌╌╌╌╌╌╌'], 'Do you want to make this edit to a.txt?', /^╌{10,}$/).tool // 'Edit'
 */
export function getTool(rows: readonly string[], question: string, frame: RegExp): ShownTool {
  const [header = '', ...details] = rows.map((row) => row.trimEnd())
  if (header.trim() === 'Tool use') return getCall(getParagraph(details, frame))
  const { tool } = findShownTool(tools, header.trim())
  switch (tool) {
    case undefined:
      return getToolByQuestion(question)
    case 'Bash':
      return { tool, ...toInput('command', getCommand(details, frame)) }
    case 'Read':
      return { tool, ...toInput('file_path', getReadPath(details, frame)) }
    case 'WebFetch':
      return { tool, ...parseFields(getParagraph(details, frame)[0]) }
    default:
      return { tool, ...toInput('file_path', getPath(details, frame)) }
  }
}

/** The rows of a permission dialog without its frames, and a framed command without the bar before each of its rows. */
export function toBody(rows: readonly string[], frame: RegExp): string[] {
  const frames = findFrames(rows, frame)
  // The upper frame of a long command is out of sight.
  const [from, to] = frames.length === 1 ? [-1, ...frames] : frames
  const isInside = (index: number) => from !== undefined && to !== undefined && index > from && index < to
  const barred = rows.every((row, index) => !isInside(index) || bar.test(row))
  return withoutMargins(
    rows.flatMap((row, index) => {
      if (frame.test(row)) return []
      return barred && isInside(index) ? [row.replace(bar, ' ')] : [row]
    }),
  )
}

/** What Claude writes before each row of a command that takes several. */
const bar = /^\s*│(?: |$)/

function findFrames(rows: readonly string[], frame: RegExp): number[] {
  return rows.flatMap((row, index) => (frame.test(row) ? [index] : []))
}

function toInput(name: string, value: string | undefined): Pick<ShownTool, 'input'> {
  return value === undefined ? {} : { input: { [name]: value } }
}

/** The rows up to the first empty one or frame. */
function getParagraph(rows: readonly string[], frame: RegExp): string[] {
  const inner = withoutMargins(rows)
  const end = inner.findIndex((row) => row.trim() === '' || frame.test(row))
  return inner.slice(0, end === -1 ? inner.length : end).map((row) => row.trim())
}

/**
 * Since 2.1.283 a command is between two frames, and a bar precedes each row where it takes several. Before, the
 * description follows the command in the same paragraph; it is an empty row where the model gave a blank one.
 */
function getCommand(details: readonly string[], frame: RegExp): string | undefined {
  const [from, to, ...others] = findFrames(details, frame)
  if (from === undefined) {
    const [gap, command, description, end, ...rest] = details
    const expected = gap === '' && end === '' && rest.length === 0
    return expected && isPart(command) && isPart(description) ? toCertain(command) : undefined
  }
  if (to === undefined || others.length > 0) return undefined
  const [row = '', ...more] = details.slice(from + 1, to)
  return more.length > 0 || bar.test(row) ? undefined : toCertain(row)
}

/** Whether a row is indented as the command and the description before 2.1.283 are. */
function isPart(row = ''): boolean {
  return /^ {3}\S/.test(row)
}

/** The text of one row; undefined where it may be cut, where a tab may look like spaces, or where tmux replaced a character. */
function toCertain(row: string | undefined): string | undefined {
  const text = row?.trim()
  return text === undefined || text === '' || /[…\uFFFD]|\s{2}|[^\S ]/u.test(text) ? undefined : text
}

function getPath(details: readonly string[], frame: RegExp): string | undefined {
  const rows = getParagraph(details, frame)
  return rows.length === 1 ? toCertain(rows[0]) : undefined
}

/** Such as `Read(/etc/hosts)`. */
function getReadPath(details: readonly string[], frame: RegExp): string | undefined {
  const rows = getParagraph(details, frame)
  const path = /^\w+\((.+)\)$/.exec(rows.length === 1 ? (rows[0] ?? '') : '')?.[1]
  return toCertain(path)
}

/** Such as `desk - lookup(key: "colour") (MCP)`, with a description behind it. */
function getCall([row = '']: readonly string[]): ShownTool {
  const mcp = /^(\S.*?) - ([\w-]+)\((.*)\) \(MCP\)$/s.exec(row)
  if (mcp) return { tool: `mcp__${mcp[1]}__${mcp[2]}`, ...parseFields(mcp[3]) }
  const tool = /^(\w+)\(/.exec(row)?.[1]
  return tool === undefined ? {} : { tool }
}

const field = /(\w+): ("(?:[^"\\]|\\.)*"|-?[\d.]+|true|false|null)(?:, |$)/y

/** Fields such as `url: "https://…", prompt: "What?"`, if the whole text consists of them. */
function parseFields(text = ''): Pick<ShownTool, 'input'> {
  const input: Record<string, unknown> = {}
  field.lastIndex = 0
  while (field.lastIndex < text.length) {
    const [, name = '', value = ''] = field.exec(text) ?? []
    if (name === '' || value.includes('…')) return {}
    try {
      input[name] = JSON.parse(value)
    } catch {
      return {}
    }
  }
  return text === '' ? {} : { input }
}

/** Where the header is out of sight, the question has the name of the file, but not its path. */
export function getToolByQuestion(question: string): ShownTool {
  const verb = /^Do you want to (create|overwrite|make this edit to|edit) .+\?$/s.exec(question)?.[1]
  if (verb === undefined) return {}
  return { tool: verb === 'create' || verb === 'overwrite' ? 'Write' : 'Edit' }
}
