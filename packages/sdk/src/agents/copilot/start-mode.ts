import type { Mode, Place, StartMode } from '../../contract/agent.ts'

/** The values of COPILOT_ALLOW_ALL that allow every tool. */
const truthy = /^\s*(?:true|1|yes|on|y)\s*$/i

/** The asking mode, unless COPILOT_ALLOW_ALL is set. A wanted mode overrides that variable. */
export async function startMode({ env }: Place, wanted?: Mode): Promise<StartMode> {
  const allowsAll = truthy.test(env['COPILOT_ALLOW_ALL'] ?? '')
  const mode = wanted ?? (allowsAll ? 'bypassPermissions' : 'default')
  const isOverridden = allowsAll && mode !== 'bypassPermissions'
  return { mode, request: mode, ...(isOverridden ? { env: { COPILOT_ALLOW_ALL: 'false' } } : {}) }
}
