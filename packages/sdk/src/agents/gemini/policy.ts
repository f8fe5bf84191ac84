import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HeadlessRequest, Place } from '../../contract/agent.ts'
import { listTools } from '../../contract/tools.ts'
import { atLeast } from '../../versions/version.ts'
import { exists } from '../../files/paths.ts'
import { readJsonSettings } from '../../dialects/settings.ts'
import { geminiFolder } from './home.ts'
import { shellTool, tools } from './tools.ts'
import { since } from './versions.ts'

/**
 * In plan mode the model of a headless run can leave the mode without approval, and then everything is allowed (0.61).
 * Remora guarantees that nothing is written.
 */
const planRule = toRule({
  toolName: listTools(tools, ({ readOnly }) => !readOnly),
  decision: 'deny',
  modes: ['plan'],
  denyMessage: 'This run is read-only.',
  priority: 999,
})

/**
 * Writes the rules of one run to a policy file and returns the arguments that name it.
 *
 * @example await policyArguments(request, place, folder) // ['--policy', '/home/me/.gemini/policies', '--policy', …]
 */
export async function policyArguments(
  request: HeadlessRequest,
  place: Place,
  folder: string,
): Promise<string[]> {
  const plan = request.mode === 'plan'
  const rules = plan ? [planRule] : (request.allow ?? []).map(allowRule)
  if (rules.length === 0 || !atLeast(place.version, since.policy)) return []
  const file = join(folder, 'remora.toml')
  await writeFile(file, rules.join('\n'), { mode: 0o600 })
  // Admin policies take precedence over the user's, which may allow what plan mode forbids.
  if (plan) return [atLeast(place.version, since.adminPolicy) ? '--admin-policy' : '--policy', file]
  // `--policy` replaces the user's policies, so they are passed too.
  const named = namesPolicies(request.extraArgs) ? [] : await listUserPolicies(place)
  return [...named, file].flatMap((path) => ['--policy', path])
}

/** @example allowRule('run_shell_command(git status)') */
export function allowRule(text: string): string {
  const [, name = text, prefix] = /^([^(]+)\((.*)\)$/s.exec(text.trim()) ?? []
  return toRule({
    toolName: name.trim() === 'ShellTool' ? shellTool : name.trim(),
    ...(prefix === undefined
      ? // Without this field a command with `>` still needs approval. Versions up to about 0.38 use its other name.
        { allowRedirection: true, allow_redirection: true }
      : { commandPrefix: prefix.replace(/:\*$/, '') }),
    decision: 'allow',
    // The lowest priority of the user tier: above the CLI's own asks, below every rule of the user.
    priority: 1,
  })
}

/** A rule as TOML. @example toRule({ toolName: 'write_file', decision: 'deny' }) */
export function toRule(
  fields: Readonly<Record<string, boolean | number | string | readonly string[]>>,
): string {
  // JSON strings and lists of strings are valid TOML.
  const lines = Object.entries(fields).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
  return ['[[rule]]', ...lines, ''].join('\n')
}

function namesPolicies(args: readonly string[] | undefined): boolean {
  return args?.some((arg) => arg === '--policy' || arg.startsWith('--policy=')) === true
}

/** Lists the user's policies, as files or folders. */
export async function listUserPolicies(place: Place): Promise<string[]> {
  const files = [join(geminiFolder(place), 'settings.json'), join(place.cwd, '.gemini', 'settings.json')]
  const settings = await Promise.all(files.map((file) => readJsonSettings(file)))
  const paths = settings.flatMap((each) => {
    const value = each.get('policyPaths')
    return Array.isArray(value) ? value.filter((path) => typeof path === 'string') : []
  })
  if (paths.length > 0) return [...new Set(paths)]
  const own = join(geminiFolder(place), 'policies')
  return (await exists(own)) ? [own] : []
}
