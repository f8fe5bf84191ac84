import type { CallEntry } from '@remora/ledger'
import { type Classified, classify, getCommandLine } from '../classify/classify.ts'
import { parseError, normalizeError } from '../classify/error-text.ts'
import type { FailureClass } from '../classify/failure-class.ts'
import { paveMark, shellWords } from '../pave/hook.ts'
import { toolRules } from '../classify/tool-rules.ts'

/** A call that failed, and why. */
export interface Desire extends CallEntry, Classified {
  /** The name of its pattern. @example 'Bash: missing-command jq' */
  readonly pattern: string
}

/**
 * The calls that failed, each with its class and its pattern, without those that the pave hook corrected.
 *
 * @example const failures = desires(await ledger.calls({ failed: true }))
 */
export function desires(calls: readonly CallEntry[]): Desire[] {
  // Agents repeat themselves: the same error of the same call is classified once.
  const known = new Map<string, Classified & { readonly pattern: string }>()
  const found: Desire[] = []
  for (const call of calls) {
    // A call that our own hook corrected is not an unmet desire.
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

/**
 * Whether the pave hook refused a call and named the correction. A command that ran and only printed such text does
 * not count.
 *
 * @example isCorrected({ failed: true, error: 'Tool execution blocked: Corrected by an alias in Remora: …' }) // true
 */
export function isCorrected({ failed, error }: Pick<CallEntry, 'failed' | 'error'>): boolean {
  return failed && error !== undefined && error.includes(paveMark) && parseError(error).exit === undefined
}

/** The part of the input that classification uses: the command line of a shell call. */
function needed({ input, tool }: CallEntry): unknown {
  return tool === 'Bash' ? input : undefined
}

/** Classes whose detail identifies the failure. */
const detailClasses: ReadonlySet<FailureClass> = new Set(['missing-command', 'missing-env', 'wrong-argument'])
/** Rules that need no label beside their class. */
const unlabelledRules: ReadonlySet<string> = new Set([
  'denied',
  'timed-out',
  'command-timeout',
  'test-command',
  'assertion',
])
/** Rules whose id is the label, because every CLI words the same error differently. */
const labelledByRule: ReadonlySet<string> = new Set(['cancelled', ...toolRules.map(({ id }) => id)])

/**
 * A short name that is the same for all failures of one kind, whatever files and numbers they contain.
 *
 * @example patternName({ tool: 'Bash', input: { command: 'jq' } }, { class: 'missing-command', detail: 'jq', … }) // 'Bash: missing-command jq'
 */
export function patternName(call: Pick<CallEntry, 'tool' | 'input'>, classified: Classified): string {
  const name = `${call.tool}: ${classified.class}`
  const label = formatLabel(classified, commandName(call))
  return label === '' ? name : `${name} ${label}`
}

function formatLabel({ class: kind, rule, detail, line }: Classified, command: string | undefined): string {
  if (kind === 'unknown-tool') return ''
  if (unlabelledRules.has(rule)) return ''
  if (kind === 'test-failure') return rule
  if (rule === 'missing-module' && detail !== undefined) return `${rule} ${detail}`
  if (detailClasses.has(kind) && detail !== undefined) return detail
  if (labelledByRule.has(rule)) return rule
  // A path without slashes and extension is not recognized as a path by its form, only by the detail.
  const label = silent.test(line)
    ? line
    : normalizeError(kind === 'wrong-path' && detail !== undefined ? line.replace(detail, '…') : line)
  // A failure of unknown reason is named after the command, unless the text begins with it.
  const named = command === undefined || (kind !== 'other' && !silent.test(line)) || label.startsWith(command)
  return named ? label : `${command}: ${label}`
}

const silent = /^exit code -?\d+$/
/** Commands that usually precede the main command of a line. */
const before = new Set(
  'cd export set source . echo mkdir pushd sudo env time nohup exec command timeout'.split(' '),
)

/** The main command of a command line. */
function commandName({ tool, input }: Pick<CallEntry, 'tool' | 'input'>): string | undefined {
  const line = tool === 'Bash' ? getCommandLine(input) : undefined
  if (line === undefined) return undefined
  const commands: string[] = []
  for (const { text, command } of shellWords(line.slice(0, 2000))) commands[command] ??= text
  const names = commands.filter((name) => name !== undefined && /^[\w./+@-]+$/.test(name))
  const name = names.find((each) => !before.has(each)) ?? names[0] ?? /^\s*([\w./+@-]+)/.exec(line)?.[1]
  return name?.split('/').at(-1)?.slice(0, 30)
}
