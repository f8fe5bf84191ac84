import { hookStatus } from '@remora/sdk/hooks'
import type { Io } from '../command/io.ts'
import { remoraHome } from '../home/remora-home.ts'
import { getAgentPlace } from './agent-place.ts'
import { type Finding, pickAgent } from './survey.ts'

/** Adds the problems of our hooks to a finding, without duplicates. */
export async function addHookProblems(finding: Finding, io: Io): Promise<Finding> {
  const agent = pickAgent(finding.id)
  if (!agent.hooks || !finding.installed) return finding
  const { problems } = await hookStatus(agent, {
    place: await getAgentPlace(agent, io),
    remoraHome: remoraHome(io),
  })
  const known = new Set(finding.problems.map(({ code }) => code))
  return { ...finding, problems: [...finding.problems, ...problems.filter(({ code }) => !known.has(code))] }
}
