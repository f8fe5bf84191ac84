import type { CallEntry } from '@remora/ledger'
import { type Classified, classify, commandOf } from './classify.ts'
import { isCorrected } from './corrected.ts'
import { normalised } from './error-text.ts'
import type { FailureClass } from './failure-class.ts'
import { shellWords } from './pave/hook.ts'
import { toolRules } from './rules/tool-rules.ts'

/** A call that failed, and why. */
export interface Desire extends CallEntry, Classified {
  /** The name of the pattern that it belongs to. @example 'Bash: missing-command jq' */
  readonly pattern: string
}

/**
 * The calls that failed, each with its class and its pattern; without those that the pave hook corrected.
 *
 * @example const failures = desires(await ledger.calls({ failed: true }))
 */
export function desires(calls: readonly CallEntry[]): Desire[] {
  // Agents repeat themselves, and the same words are the same failure.
  const known = new Map<string, Classified & { readonly pattern: string }>()
  const found: Desire[] = []
  for (const call of calls) {
    // What our own hook corrected is no wish that nobody met.
    if (!call.failed || isCorrected(call)) continue
    const key = JSON.stringify([call.agent, call.native, call.tool, call.status, call.error, needed(call)])
    let about = known.get(key)
    if (!about) {
      const classified = classify(call)
      about = { ...classified, pattern: patternName(call, classified) }
      known.set(key, about)
    }
    found.push({ ...call, ...about })
  }
  return found
}

/** Of the input only the command line decides, and only where the error alone does not. */
function needed({ input, tool }: CallEntry): unknown {
  return tool === 'Bash' ? input : undefined
}

/** Classes whose detail is the same each time such a failure occurs. */
const telling: ReadonlySet<FailureClass> = new Set(['missing-command', 'missing-env', 'wrong-argument'])
/** Rules that say all there is to say. */
const wholeRules: ReadonlySet<string> = new Set([
  'denied',
  'timed-out',
  'command-timeout',
  'test-command',
  'assertion',
])
/** Every CLI has its own words for the same thing; the rule has one. */
const toldByRule: ReadonlySet<string> = new Set(['cancelled', ...toolRules.map(({ id }) => id)])

/**
 * A short name that stays the same for failures of one kind, whatever files and numbers they were about.
 *
 * @example patternName({ tool: 'Bash', input: { command: 'jq' } }, { class: 'missing-command', detail: 'jq', … }) // 'Bash: missing-command jq'
 */
export function patternName(call: Pick<CallEntry, 'tool' | 'input'>, classified: Classified): string {
  const name = `${call.tool}: ${classified.class}`
  const label = labelOf(classified, commandName(call))
  return label === '' ? name : `${name} ${label}`
}

function labelOf({ class: kind, rule, detail, line }: Classified, command: string | undefined): string {
  if (kind === 'unknown-tool') return ''
  if (wholeRules.has(rule)) return ''
  if (kind === 'test-failure') return rule
  if (rule === 'missing-module' && detail !== undefined) return `${rule} ${detail}`
  if (telling.has(kind) && detail !== undefined) return detail
  if (toldByRule.has(rule)) return rule
  // A path that has neither slashes nor an ending is known by its place only.
  const label = silent.test(line)
    ? line
    : normalised(kind === 'wrong-path' && detail !== undefined ? line.replace(detail, '…') : line)
  // What nobody knows the reason of is known by the command, unless that has said its name.
  const named = command === undefined || (kind !== 'other' && !silent.test(line)) || label.startsWith(command)
  return named ? label : `${command}: ${label}`
}

const silent = /^exit code -?\d+$/
/** Commands that stand before the one that is meant. */
const before = new Set(
  'cd export set source . echo mkdir pushd sudo env time nohup exec command timeout'.split(' '),
)

/** The command that a line is about. */
function commandName({ tool, input }: Pick<CallEntry, 'tool' | 'input'>): string | undefined {
  const line = tool === 'Bash' ? commandOf(input) : undefined
  if (line === undefined) return undefined
  const commands: string[] = []
  for (const { text, command } of shellWords(line.slice(0, 2000))) commands[command] ??= text
  const names = commands.filter((name) => name !== undefined && /^[\w./+@-]+$/.test(name))
  const name = names.find((each) => !before.has(each)) ?? names[0] ?? /^\s*([\w./+@-]+)/.exec(line)?.[1]
  return name?.split('/').at(-1)?.slice(0, 30)
}
