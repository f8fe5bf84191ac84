import type { Place, Problem } from '../../contract/agent.ts'
import { listTools } from '../../contract/tools.ts'
import { readSettings } from './home.ts'
import { shellTool, tools } from './tools.ts'

/** Denies everything that is not read-only: in a headless run nobody can leave plan mode. */
export const planArguments = listTools(tools, ({ readOnly }) => !readOnly).map(
  (tool) => `--exclude-tools=${tool}`,
)

/** The settings with rules that run tools without approval. */
const rules = [
  ['permissions', 'allow'],
  ['tools', 'allowed'],
] as const

/** Tools that a rule may allow: plan mode has a check of its own for commands, and the others only read. */
const harmless = new Set(
  Object.entries(tools).flatMap(([native, { claude, readOnly }]) =>
    readOnly || native === shellTool ? [native, claude] : [],
  ),
)

/**
 * In plan mode Qwen Code runs every tool that a rule of the user or the project allows, also those that write. Nothing
 * overrules such a rule in a process whose mode may change, so that plan mode is refused.
 */
export async function findPlanObstacle(place: Place): Promise<Problem | undefined> {
  for (const settings of await readSettings(place))
    for (const path of rules) {
      const list = settings.get(...path)
      const rule = (Array.isArray(list) ? (list as unknown[]) : []).find((each) => !isHarmless(each))
      if (rule === undefined) continue
      return {
        code: 'plan_not_read_only',
        message: `${path.join('.')} in ${settings.file} allows ${JSON.stringify(rule)}, and Qwen Code runs that in plan mode too`,
        hint: 'Remove this rule, or choose the mode default.',
      }
    }
  return undefined
}

function isHarmless(rule: unknown): boolean {
  return typeof rule === 'string' && harmless.has(rule.replace(/\(.*/s, '').trim())
}
