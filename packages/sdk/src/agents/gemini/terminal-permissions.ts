import type { ScreenAsk } from '../../contract/agent.ts'
import { toOptions } from '../../dialects/screen-list.ts'
import type { FoundList, Meaning } from '../../dialects/screen-list.ts'
import { findShownTool } from '../../contract/tools.ts'
import { unwrapped, withoutMargins } from '../../dialects/screen-text.ts'
import { tools } from './tools.ts'

/**
 * Reads the approval request of a tool from the rows above the options: its name, its action and the question.
 *
 * @example readPermission(rows, list, 120)?.tool // 'Bash'
 */
export function readPermission(
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
  // Up to 0.34 a line above announces a required action. Even the name may be off screen for a long change.
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
    ...readTool(name, title, shown, columns),
    options,
  }
}

/** A narrow terminal breaks the question into several rows. */
function questionStart(rows: readonly string[], asked: number): number {
  const start = rows.findLastIndex(
    (row, index) => index <= asked && /^(?:Allow|Apply|Do you|Would you)\b/.test(row.trim()),
  )
  return start === -1 ? asked : start
}

/** Since 0.6x the action has its own frame within the box. */
function withoutFrame(rows: readonly string[]): string[] {
  const inner = rows
    .filter((row) => !/^[╭╰]─*[╮╯]?$/.test(row.trim()))
    .map((row) => (/^│ ?/.test(row) ? row.replace(/^│ ?/, '').replace(/ *│$/, '') : row))
  return withoutMargins(inner)
}

function readTool(
  name: string,
  title: string,
  shown: readonly string[],
  columns: number,
): { tool?: string; input?: unknown } {
  const mcp = /MCP tool "([^"]+)" from server "([^"]+)"/.exec(title)
  if (mcp) return { tool: `mcp__${mcp[2]}__${mcp[1]}`, ...argumentsIn(name) }
  const known = findShownTool(tools, name)
  if (known.tool === 'Bash') return { ...known, input: { command: unwrapped(shown, columns - 10) } }
  const other = /^(\w+)/.exec(name)?.[1]
  return other === undefined ? {} : { tool: other, ...known }
}

/** The arguments of an MCP tool follow its name if they are short enough to be shown in full. */
function argumentsIn(name: string): { input?: unknown } {
  const text = /(\{.*\})$/.exec(name)?.[1]
  try {
    return text === undefined ? {} : { input: JSON.parse(text) as unknown }
  } catch {
    return {}
  }
}

const meanings: readonly Meaning[] = [
  [/^(?:Yes, a|A)llow once/, { id: 'allow', effect: 'allow' }],
  [/^(?:Yes, )?[Aa]llow all server tools/, { id: 'allow_server', effect: 'allow_always' }],
  [/future/, { id: 'allow_always', effect: 'allow_always' }],
  [/^(?:Yes, )?[Aa]llow\b/, { id: 'allow_session', effect: 'allow_always' }],
  [/^Modify with external editor/, { id: 'modify', effect: 'other' }],
  [/^No\b/, { id: 'deny', effect: 'deny' }],
]
