import { type BrokenAgent, loadAddedAgents } from '@remora/sdk/plugins'
import type { Context } from './context.ts'

const reported = new Set<string>()

/**
 * Loads the agents that the user added since the last call. An agent that cannot be loaded is logged once, left out and
 * returned.
 *
 * @example const broken = await refreshAgents(context)
 */
export async function refreshAgents({
  remoraHome,
  log,
}: Pick<Context, 'remoraHome' | 'log'>): Promise<readonly BrokenAgent[]> {
  const report = (message: string, hint: string | undefined): void => {
    if (reported.has(message)) return
    reported.add(message)
    log('warn', message, hint === undefined ? {} : { hint })
  }
  try {
    const broken = await loadAddedAgents(remoraHome)
    for (const { problem } of broken) report(problem.message, problem.hint)
    return broken
  } catch (error) {
    const { message, hint } = error as Error & { hint?: string }
    report(message, hint)
    return []
  }
}
