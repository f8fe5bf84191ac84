import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Place, Problem } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { readConfig } from './home.ts'
import { tools } from './tools.ts'

/**
 * Plan mode of Kimi blocks its own edits only. A sub-agent writes files in a git work tree without approval, and a rule
 * that allows a tool applies in plan mode too. Nothing overrules that in a process whose mode may change.
 */
export async function findPlanObstacle(place: Place): Promise<Problem | undefined> {
  const config = await readConfig(place)
  const rule = listRules(config.get('permission')).find((pattern) => !isHarmless(pattern))
  if (rule !== undefined)
    return {
      code: 'plan_not_read_only',
      message: `${config.file} allows ${JSON.stringify(rule)}, and Kimi Code runs that in plan mode too`,
      hint: 'Remove this rule, or choose the mode default.',
    }
  if (!(await isInWorkTree(place.cwd))) return undefined
  return {
    code: 'plan_not_read_only',
    message: `Sub-agents of Kimi Code write files in plan mode without approval, because ${place.cwd} is in a git work tree`,
    hint: 'Use remora run kimi --mode plan, which has only tools that read.',
  }
}

/** The patterns of `permission.allow` and of rules that decide `allow`. */
function listRules(permission: unknown): string[] {
  const { allow, rules } = asRecord(permission) ?? {}
  const toPattern = (rule: unknown) =>
    asString(rule) ?? asString(asRecord(rule)?.['tool']) ?? asString(asRecord(rule)?.['pattern']) ?? ''
  const deciding = toList(rules).filter((rule) => asRecord(rule)?.['decision'] === 'allow')
  return [...toList(allow), ...deciding].map(toPattern)
}

function toList(value: unknown): unknown[] {
  if (value === undefined) return []
  return Array.isArray(value) ? (value as unknown[]) : [value]
}

function isHarmless(pattern: string): boolean {
  const name = pattern.replace(/\(.*/s, '').trim()
  return Object.hasOwn(tools, name) && tools[name]!.readOnly
}

async function isInWorkTree(folder: string): Promise<boolean> {
  for (let current = folder; ; current = dirname(current)) {
    if (await stat(join(current, '.git')).catch(() => undefined)) return true
    if (current === dirname(current)) return false
  }
}
