import type { ScreenAsk } from '../../contract/agent.ts'
import { toOptions } from '../../dialects/screen-list.ts'
import type { FoundList, Meaning } from '../../dialects/screen-list.ts'
import { unwrapped, withoutMargins } from '../../dialects/screen-text.ts'

/**
 * A tool that asks before it runs. The rows are those above the options: what it is called, what it would do, and the
 * question.
 *
 * @example permissionOf(rows, list, 120)?.tool // 'Bash'
 */
export function permissionOf(
  rows: readonly string[],
  list: FoundList,
  columns: number,
): ScreenAsk | undefined {
  const asked = rows.findLastIndex((row) =>
    /^(?:Allow|Apply|Do you want|Would you) .*\?$|\?$/.test(row.trim()),
  )
  const options = toOptions(list.items, meanings, { wrapped: true })
  const denies = options.some(({ effect }) => effect === 'deny')
  if (asked === -1 || !denies || !options.some(({ effect }) => effect === 'allow')) return undefined
  // Up to 0.34 a line above says that something is required; of a long change even the name may be out of sight.
  const named = rows.findIndex((row) => row.startsWith('? '))
  const start = questionStart(rows, asked)
  const shown = withoutFrame(rows.slice(named + 1, start))
  const title = unwrapped(
    rows.slice(start, asked + 1).map((row) => row.trim()),
    columns - 10,
  )
  const name = rows[named]?.slice(2).trim() ?? ''
  return {
    kind: 'permission',
    title,
    ...(shown.length === 0 ? {} : { body: shown.join('\n') }),
    ...toolOf(name, title, shown, columns),
    options,
  }
}

/** The question may be broken into several rows on a narrow terminal. */
function questionStart(rows: readonly string[], asked: number): number {
  const start = rows.findLastIndex(
    (row, index) => index <= asked && /^(?:Allow|Apply|Do you|Would you)\b/.test(row.trim()),
  )
  return start === -1 ? asked : start
}

/** Since 0.6x what would be done has a frame of its own within the box. */
function withoutFrame(rows: readonly string[]): string[] {
  const inner = rows
    .filter((row) => !/^[╭╰]─*[╮╯]?$/.test(row.trim()))
    .map((row) => (/^│ ?/.test(row) ? row.replace(/^│ ?/, '').replace(/ *│$/, '') : row))
  return withoutMargins(inner)
}

function toolOf(
  name: string,
  title: string,
  shown: readonly string[],
  columns: number,
): { tool?: string; input?: unknown } {
  const mcp = /MCP tool "([^"]+)" from server "([^"]+)"/.exec(title)
  if (mcp) return { tool: `mcp__${mcp[2]}__${mcp[1]}`, ...argumentsIn(name) }
  const write = /^WriteFile\s+Writing to (.+?)(?: \(.*\))?$/.exec(name)
  if (write) return { tool: 'Write', input: { file_path: write[1] } }
  const edit = /^Edit\s+(.+?)(?:: .*)?$/.exec(name)
  if (edit) return { tool: 'Edit', input: { file_path: edit[1] } }
  if (/^Shell\b/.test(name)) return { tool: 'Bash', input: { command: unwrapped(shown, columns - 10) } }
  const other = /^(\w+)/.exec(name)?.[1]
  return other === undefined ? {} : { tool: claudeNames[other] ?? other }
}

/** What an MCP tool is called with stands behind its name, if it is short enough to be whole. */
function argumentsIn(name: string): { input?: unknown } {
  const text = /(\{.*\})$/.exec(name)?.[1]
  try {
    return text === undefined ? {} : { input: JSON.parse(text) as unknown }
  } catch {
    return {}
  }
}

/** The names that the CLI shows, where they are not those of Claude. */
const claudeNames: Readonly<Record<string, string>> = {
  ReadFile: 'Read',
  GoogleSearch: 'WebSearch',
  SearchText: 'Grep',
  FindFiles: 'Glob',
}

const meanings: readonly Meaning[] = [
  [/^(?:Yes, a|A)llow once/, { id: 'allow', effect: 'allow' }],
  [/^(?:Yes, )?[Aa]llow all server tools/, { id: 'allow_server', effect: 'allow_always' }],
  [/future/, { id: 'allow_always', effect: 'allow_always' }],
  [/^(?:Yes, )?[Aa]llow\b/, { id: 'allow_session', effect: 'allow_always' }],
  [/^Modify with external editor/, { id: 'modify', effect: 'other' }],
  [/^No\b/, { id: 'deny', effect: 'deny' }],
]
