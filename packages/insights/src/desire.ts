import type { CallEntry } from '@remora/ledger'
import { type Classified, classify } from './classify.ts'
import { normalised } from './error-text.ts'
import type { FailureClass } from './failure-class.ts'
import { toolRules } from './rules/tool-rules.ts'

/** A call that failed, and why. */
export interface Desire extends CallEntry, Classified {
  /** The name of the pattern that it belongs to. @example 'Bash: missing-command jq' */
  readonly pattern: string
}

/**
 * The calls that failed, each with its class and its pattern.
 *
 * @example const failures = desires(await ledger.calls({ failed: true }))
 */
export function desires(calls: readonly CallEntry[]): Desire[] {
  // Agents repeat themselves, and the same words are the same failure.
  const known = new Map<string, Classified & { readonly pattern: string }>()
  const found: Desire[] = []
  for (const call of calls) {
    if (!call.failed) continue
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
 * @example patternName({ tool: 'Bash' }, { class: 'missing-command', detail: 'jq', … }) // 'Bash: missing-command jq'
 */
export function patternName(call: Pick<CallEntry, 'tool'>, classified: Classified): string {
  const name = `${call.tool}: ${classified.class}`
  const label = labelOf(classified)
  return label === '' ? name : `${name} ${label}`
}

function labelOf({ class: kind, rule, detail, line }: Classified): string {
  if (kind === 'unknown-tool') return ''
  if (wholeRules.has(rule)) return ''
  if (kind === 'test-failure') return rule
  if (rule === 'missing-module' && detail !== undefined) return `${rule} ${detail}`
  if (telling.has(kind) && detail !== undefined) return detail
  if (toldByRule.has(rule)) return rule
  // A path that has neither slashes nor an ending is known by its place only.
  return normalised(kind === 'wrong-path' && detail !== undefined ? line.replace(detail, '…') : line)
}
