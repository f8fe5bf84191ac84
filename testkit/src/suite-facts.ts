import { RemoraError } from '@remora/protocol'
import type { Agent, SuiteFacts } from '@remora/sdk'

/** What the suites expect of a version. @example getSuiteFacts(gemini, '0.61.0').writeTool */
export function getSuiteFacts(agent: Agent, version: string): SuiteFacts {
  if (!agent.testkit)
    throw new RemoraError('not_found', `${agent.title} has no testkit part`, {
      hint: `Add packages/sdk/src/agents/${agent.id}/testkit.ts.`,
    })
  return agent.testkit.suites(version)
}

/** The facts of one suite. @example getFacts(gemini, '0.61.0', 'headless').cannot */
export function getFacts<K extends keyof SuiteFacts>(
  agent: Agent,
  version: string,
  suite: K,
): NonNullable<SuiteFacts[K]> {
  const facts = getSuiteFacts(agent, version)[suite]
  if (facts === undefined)
    throw new RemoraError('not_found', `The testkit of ${agent.title} has no facts for ${suite}`, {
      hint: `Add them to packages/sdk/src/agents/${agent.id}/testkit.ts.`,
    })
  return facts
}
