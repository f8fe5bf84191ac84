import type { ScreenAsk } from '../../contract/agent.ts'
import { findShownTool } from '../../contract/tools.ts'
import { type Meaning, toOptions } from '../../dialects/screen-list.ts'
import { unwrapped, withoutMargins } from '../../dialects/screen-text.ts'
import type { CodexList } from './terminal-list.ts'
import { tools } from './tools.ts'

/**
 * Reads a permission request. Undefined for every other dialog.
 *
 * @example toApproval([], ['Would you like to run the following command?', '', '$ ls'], list, 120)?.input // { command: 'ls' }
 */
export function toApproval(
  above: readonly string[],
  head: readonly string[],
  list: CodexList,
  width: number,
): ScreenAsk | undefined {
  const [title = '', ...rest] = withoutMargins(head)
  if (!/^(?:Would you like to|Do you want to|Allow|Approve) .*\?$/.test(title)) return undefined
  const shown = withoutMargins(rest)
  const change = findShownTool(tools, title).tool === 'Edit' ? readChange(above) : []
  const body = [...change, ...(change.length > 0 ? [''] : []), ...shown].join('\n')
  return {
    kind: 'permission',
    title,
    ...(body === '' ? {} : { body }),
    ...toTool(title, shown, width),
    options: toOptions(
      list.items.map((each) => ({ ...each, label: each.label.replace(/ \((?:\w|esc)\)$/, '') })),
      meanings,
    ),
  }
}

const meanings: readonly Meaning[] = [
  [
    /don't ask again|always|for this (?:session|conversation)|in the future/i,
    { id: 'allow_always', effect: 'allow_always' },
  ],
  [/^(?:Yes|Allow|Approve|Run)\b/, { id: 'allow', effect: 'allow' }],
  [/^(?:No|Deny|Decline|Cancel)\b/, { id: 'deny', effect: 'deny' }],
]

function toTool(title: string, shown: readonly string[], width: number): Pick<ScreenAsk, 'tool' | 'input'> {
  const { tool } = findShownTool(tools, title)
  if (tool === 'Bash') {
    const command = getCommand(shown)
    return { tool, ...(command === undefined ? {} : { input: { command } }) }
  }
  if (tool === 'Edit') {
    const from = shown.findIndex((line) => line.startsWith('Destination: '))
    const rest = from === -1 ? [] : shown.slice(from)
    const path = unwrapped(rest.slice(0, findEnd(rest)), width - 4).replace(/^Destination: /, '')
    return { tool, ...(path === '' || /[\n,]/.test(path) ? {} : { input: { file_path: path } }) }
  }
  const call = /^Allow the (\S+) MCP server to run tool "([\w-]+)"\?$/.exec(title)
  return call ? { tool: `mcp__${call[1]}__${call[2]}` } : {}
}

/**
 * Wrapped lines are not joined, since a rule that matches the command must never take two lines for one. Undefined if a
 * part of the command is not shown.
 */
function getCommand(shown: readonly string[]): string | undefined {
  const from = shown.findIndex((line) => line.startsWith('$ '))
  if (from === -1 || shown.some((line) => /^\[… \d+ lines?\]/.test(line))) return undefined
  return shown.slice(from).join('\n').slice(2).trimEnd()
}

function findEnd(lines: readonly string[]): number {
  const end = lines.indexOf('')
  return end === -1 ? lines.length : end
}

/** The change is in the conversation, right above the question about it. */
function readChange(above: readonly string[]): string[] {
  const lines = withoutMargins(above)
  const from = lines.findLastIndex((line) => /^[•◦] (?:Added|Edited|Deleted|Moved|Renamed)\b/.test(line))
  const block = from === -1 ? [] : lines.slice(from)
  return block.some((line) => /^[›■✔✗]/.test(line))
    ? []
    : block.map((line) => line.replace(/^[•◦] | {2}/, ''))
}
