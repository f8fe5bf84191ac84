import { join } from 'node:path'
import type { Mode, Place, StartMode } from '../../contract/agent.ts'
import { isObject, readJsonSettings } from '../../dialects/settings.ts'
import { listTools } from '../../contract/tools.ts'
import { configFolder } from './home.ts'
import { tools } from './tools.ts'

/** OpenCode runs every tool without approval by default, so asking has to be configured. */
const asking = {
  '*': 'ask',
  ...Object.fromEntries(
    // Pages are read only with approval; the calls of a sub-agent are asked about themselves.
    listTools(tools, ({ readOnly, kind, claude }) => (readOnly && kind !== 'fetch') || claude === 'Task').map(
      (tool) => [tool, 'allow'],
    ),
  ),
}

/** The start mode: asking, unless the user's configuration has its own rules. */
export async function startMode(place: Place, wanted?: Mode): Promise<StartMode> {
  const request = wanted === undefined ? {} : { request: wanted }
  if (wanted === 'plan' || wanted === 'bypassPermissions' || wanted === 'auto')
    return { mode: wanted, ...request }
  const configured = getMode(await readPermission(place))
  if (wanted === undefined && configured !== undefined) return { mode: configured }
  // The user's rules stay if they already ask.
  const keeps = configured === 'default' || configured === 'acceptEdits'
  const mode = wanted ?? 'default'
  if (keeps && mode === configured) return { mode, ...request }
  const rules = { ...(keeps ? {} : asking), edit: mode === 'acceptEdits' ? 'allow' : 'ask' }
  return { mode, ...request, env: { OPENCODE_PERMISSION: JSON.stringify(rules) } }
}

/** Reads the rules of the last file that has any; the variable takes precedence over files. */
async function readPermission(place: Place): Promise<unknown> {
  const variable = place.env['OPENCODE_PERMISSION']
  if (variable) return parse(variable)
  const folders = [configFolder(place), place.cwd]
  const files = folders.flatMap((folder) => [join(folder, 'opencode.json'), join(folder, 'opencode.jsonc')])
  const chosen = place.env['OPENCODE_CONFIG']
  const settings = await Promise.all(
    [...files, ...(chosen ? [chosen] : [])].map((file) => readJsonSettings(file)),
  )
  const content = place.env['OPENCODE_CONFIG_CONTENT']
  const inline = content ? parse(content) : undefined
  return (
    (isObject(inline) ? inline['permission'] : undefined) ??
    settings.map((each) => each.get('permission')).findLast((each) => each !== undefined)
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The mode that the rules amount to; undefined without rules. */
function getMode(permission: unknown): Mode | undefined {
  if (permission === undefined) return undefined
  const [bash, edit] = ['bash', 'edit'].map((tool) => isAllowed(permission, tool))
  if (!bash) return edit ? 'acceptEdits' : 'default'
  return 'bypassPermissions'
}

/** Whether any tool call is allowed without approval. A call without a rule is allowed. */
function isAllowed(permission: unknown, tool: string): boolean {
  if (typeof permission === 'string') return permission === 'allow'
  if (!isObject(permission)) return true
  const rule = permission[tool] ?? permission['*'] ?? 'allow'
  if (isObject(rule)) return (rule['*'] ?? 'allow') === 'allow'
  return rule === 'allow'
}
