import type { CallEntry } from '@remora/ledger'
import { type ErrorText, parseError, lineAt, findMainLine } from './error-text.ts'
import type { FailureClass } from './failure-class.ts'
import type { Rule } from './rule.ts'
import { rules } from './rules.ts'

/** Why a call failed, and the rule that matched. */
export interface Classified {
  readonly class: FailureClass
  readonly rule: string
  /** The command, variable, option, tool or path that the error names. */
  readonly detail?: string
  /** The line that matched, or the most informative one, or the exit code of a command without output. */
  readonly line: string
}

/** The fields of a call that `classify` reads. */
export type ClassifiedCall = Pick<CallEntry, 'agent' | 'tool' | 'native' | 'input' | 'status' | 'error'>

/**
 * Finds out why a call failed, by the first rule that matches.
 *
 * @example classify(call) // { class: 'missing-command', rule: 'shell-command-not-found', detail: 'jq', line: 'bash: jq: …' }
 */
export function classify(call: ClassifiedCall): Classified {
  const error = parseError(call.error)
  const command = getCommandLine(call.input)
  for (const rule of rules) {
    const match = fits(rule, call, error, command)
    if (!match) continue
    const line = typeof match === 'object' ? decidingLine(error, match) : findMainLine(error)
    const detail =
      getDetail(rule, rule.extract ? rule.extract.exec(line) : match, call) ??
      getMatchedGroup(rule.command?.exec(command ?? ''))
    return { class: rule.class, rule: rule.id, ...(detail === undefined ? {} : { detail }), line }
  }
  return {
    class: 'other',
    rule: error.exit === undefined ? 'none' : 'exit-code',
    line: findMainLine(error),
  }
}

/** The match of the rule's pattern, or true if the rule has no pattern and its other conditions hold. */
function fits(
  rule: Rule,
  call: ClassifiedCall,
  error: ErrorText,
  command: string | undefined,
): RegExpExecArray | boolean {
  if (rule.status && !rule.status.includes(call.status)) return false
  if (rule.agents && !rule.agents.includes(call.agent)) return false
  if (rule.tools && !rule.tools.includes(call.tool)) return false
  if (rule.refused && error.exit !== undefined) return false
  if (rule.silent && error.text !== '') return false
  if (rule.exit && error.exit !== undefined && !rule.exit.includes(error.exit)) return false
  if (rule.exit && error.exit === undefined && !rule.pattern) return false
  if (rule.command && (command === undefined || !rule.command.test(command))) return false
  return rule.pattern ? (rule.pattern.exec(error.text) ?? false) : true
}

function getDetail(
  rule: Rule,
  match: RegExpExecArray | boolean | null,
  call: ClassifiedCall,
): string | undefined {
  if (typeof match !== 'object') return undefined
  const named = getMatchedGroup(match)
  return (named ?? (rule.class === 'unknown-tool' ? call.native : undefined))?.trim().slice(0, 200)
}

/** The alternatives of a pattern name their groups differently, and only one of them has matched. */
function getMatchedGroup(match: RegExpExecArray | null | undefined): string | undefined {
  return Object.values(match?.groups ?? {}).find((group) => group !== undefined && group !== '')
}

function decidingLine(error: ErrorText, match: RegExpExecArray): string {
  const start = match.index + (/^\s*/.exec(match[0])?.[0].length ?? 0)
  return lineAt(error.text, start) || findMainLine(error)
}

/** The command line of a shell call of any agent. @example getCommandLine({ command: 'ls' }) // 'ls' */
export function getCommandLine(input: unknown): string | undefined {
  if (typeof input === 'string') return input
  if (typeof input !== 'object' || input === null) return undefined
  const { command, cmd } = input as { command?: unknown; cmd?: unknown }
  const words = command ?? cmd
  if (Array.isArray(words)) return words.map(String).join(' ')
  return typeof words === 'string' ? words : undefined
}
