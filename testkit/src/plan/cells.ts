import { findAgent } from '@remora/sdk'
import { pinnedVersions } from '../clis.ts'
import type { PlanCell } from './cell.ts'

/** Versions before this one have no plan mode. */
const oldest: Readonly<Record<string, string>> = { gemini: '0.33.0' }

const users = ['root', 'ordinary'] as const
const answers = ['deny', 'ask', 'allow'] as const

/** Every cell of the table: agent and version × channel and wrapper × user × permissions. */
export function listPlanCells(): PlanCell[] {
  return ['claude', 'codex', 'gemini', 'opencode'].flatMap((agent) =>
    pinnedVersions(agent)
      .filter((version) => version.localeCompare(oldest[agent] ?? '', 'en', { numeric: true }) >= 0)
      .flatMap((version) => users.flatMap((user) => listOf({ agent, version, user }))),
  )
}

function listOf(base: Pick<PlanCell, 'agent' | 'version' | 'user'>): PlanCell[] {
  const wrappers = findAgent(base.agent)?.acp?.wrappers?.map((wrapper) => wrapper.package) ?? [undefined]
  return [
    { ...base, channel: 'headless' },
    ...wrappers.flatMap((wrapper) =>
      answers.map((permissions): PlanCell => ({
        ...base,
        channel: 'acp',
        permissions,
        ...(wrapper === undefined ? {} : { wrapper }),
      })),
    ),
    { ...base, channel: 'terminal' },
  ]
}

/** One cell for each agent, each channel and each way to break plan mode that was found. */
export function listRepresentativeCells(): PlanCell[] {
  const [claude, earlierClaude] = pinnedVersions('claude') as [string, string]
  const newest = (agent: string) => pinnedVersions(agent)[0]!
  return [
    { agent: 'claude', version: claude, channel: 'headless', user: 'root' },
    {
      agent: 'claude',
      version: earlierClaude,
      channel: 'acp',
      wrapper: '@zed-industries/claude-code-acp',
      user: 'ordinary',
      permissions: 'deny',
    },
    {
      agent: 'claude',
      version: claude,
      channel: 'acp',
      wrapper: '@agentclientprotocol/claude-agent-acp',
      user: 'ordinary',
      permissions: 'allow',
    },
    { agent: 'codex', version: newest('codex'), channel: 'headless', user: 'ordinary' },
    {
      agent: 'codex',
      version: newest('codex'),
      channel: 'acp',
      wrapper: '@agentclientprotocol/codex-acp',
      user: 'ordinary',
      permissions: 'allow',
    },
    { agent: 'gemini', version: newest('gemini'), channel: 'acp', user: 'ordinary', permissions: 'allow' },
    { agent: 'opencode', version: newest('opencode'), channel: 'acp', user: 'root', permissions: 'allow' },
  ]
}
