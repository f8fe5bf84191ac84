import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Place, PlanGuard, Problem } from '../../contract/agent.ts'
import { listTools } from '../../contract/tools.ts'
import { createRunFolder } from '../../files/run-files.ts'
import { atLeast } from '../../versions/version.ts'
import { exists } from '../../files/paths.ts'
import { toRule, listUserPolicies } from './policy.ts'
import { tools } from './tools.ts'
import { since } from './versions.ts'

/**
 * The user's policies may allow commands, or leaving the mode, without approval in plan mode. Admin policies take
 * precedence over them. They name the mode, so other modes are unaffected.
 */
const rules = toRule({
  // The CLI itself refuses edits in plan mode.
  toolName: listTools(tools, ({ kind, readOnly }) => !readOnly && kind !== 'edit'),
  decision: 'ask_user',
  modes: ['plan'],
  priority: 999,
})

let written: Promise<string> | undefined

/** The arguments that keep plan mode read-only in a process that can switch modes. */
export async function guardPlan({ version }: Place): Promise<PlanGuard> {
  if (!atLeast(version, since.adminPolicy)) return {}
  const known = await written
  if (known === undefined || !(await exists(known))) written = writePolicy()
  return { args: ['--admin-policy', await written!] }
}

/** One file for all agents of this process. Like the files of a run, it is removed after the process has ended. */
async function writePolicy(): Promise<string> {
  const file = join(await createRunFolder('run'), 'plan.toml')
  await writeFile(file, rules, { mode: 0o600 })
  return file
}

/** Versions without admin policies are refused if the user has policies. */
export async function findPlanObstacle(place: Place): Promise<Problem | undefined> {
  if (atLeast(place.version, since.adminPolicy)) return undefined
  const [file] = await listUserPolicies(place)
  if (file === undefined) return undefined
  return {
    code: 'plan_not_read_only',
    message: `${file} may allow commands in plan mode, and Gemini CLI ${place.version ?? ''} lets nothing overrule it`,
    hint: `Update Gemini CLI to ${since.adminPolicy} or newer.`,
  }
}
