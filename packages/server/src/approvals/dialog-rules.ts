import type { Ask } from '@remora/protocol'
import type { PermissionRule, Question, ruleFor } from '@remora/sdk/acp'
import { getText, showsTool } from './join-ask.ts'

/** How many rows of a dialog one command may be broken into. */
const mostRows = 6
const fileTools = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'Read'])

/**
 * The first denying rule that fits anything a dialog shows: each row, rows joined as one command, and each path. What was
 * read from a screen may be wrong, so a rule that denies never relies on it.
 *
 * @example await findDenial(denials, question, sdk.ruleFor)
 */
export async function findDenial(
  denials: readonly PermissionRule[],
  question: Question,
  find: typeof ruleFor,
): Promise<PermissionRule | undefined> {
  const { ask } = question
  const rows = getText({ title: ask.title, body: ask.body }).split('\n').map(toPlainRow)
  const shown = rows.filter((row) => row !== '')
  for (const rule of denials) {
    const named = rule.tool !== undefined && rule.command === undefined && showsTool(ask, rule.tool)
    const call = { ...question.call, name: named ? rule.tool : (ask.tool ?? getTool(rule, ask)) }
    const about = { ...question, call, paths: [] as string[] }
    if (rule.path !== undefined) about.paths = shown.flatMap(getPaths)
    // The lines of a change are no commands.
    const isFile = ask.tool !== undefined && fileTools.has(ask.tool)
    const commands = rule.command === undefined ? [undefined] : isFile ? [] : getCommands(shown)
    for (const command of commands) {
      const { command: _, ...rest } = about
      if (await find([rule], command === undefined ? rest : { ...rest, kind: 'execute', command }))
        return rule
    }
  }
  return undefined
}

/** The tool is unknown: a rule about a command may mean it, another one if the dialog names the tool. */
function getTool({ tool, command }: PermissionRule, ask: Ask): string {
  return tool !== undefined && (command !== undefined || showsTool(ask, tool)) ? tool : ''
}

/** A row without frames and the marks before a command. */
function toPlainRow(row: string): string {
  return row
    .replaceAll(/[─-╿▀-▟]/gu, ' ')
    .trim()
    .replace(/^[$>❯●?✓] +/u, '')
}

function getCommands(rows: readonly string[]): string[] {
  return rows.flatMap((row, from) => {
    const joined = Array.from({ length: Math.min(mostRows, rows.length - from) - 1 }, (_, index) =>
      rows.slice(from, from + index + 2),
    )
    return [row, ...joined.flatMap((each) => [each.join(' '), each.join('')])]
  })
}

function getPaths(row: string): string[] {
  return row
    .split(/[\s"'`(),:=?]+/)
    .map((word) => word.replace(/\.$/, ''))
    .filter((word) => /[./\w]/.test(word))
}
