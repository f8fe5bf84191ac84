import { findAgent } from '@remora/sdk'
import { listPinnedAgents, pinnedVersions } from '../clis.ts'
import { listTestVersions } from '../versions.ts'
import type { PlanCell } from './cell.ts'

/** Versions before this one have no plan mode. */
const oldest: Readonly<Record<string, string>> = { gemini: '0.33.0' }

const users = ['root', 'ordinary'] as const
const answers = ['deny', 'ask', 'allow'] as const

/** Every cell of the table: agent and version × channel and wrapper × user × permissions. */
export function listPlanCells(): PlanCell[] {
  return listPinnedAgents().flatMap(({ id: agent }) =>
    pinnedVersions(agent)
      .filter((version) => version.localeCompare(oldest[agent] ?? '', 'en', { numeric: true }) >= 0)
      .flatMap((version) => users.flatMap((user) => listOf({ agent, version, user }))),
  )
}

function listOf(base: Pick<PlanCell, 'agent' | 'version' | 'user'>): PlanCell[] {
  const agent = findAgent(base.agent)
  const own = agent?.acp ? [undefined] : []
  const wrappers = agent?.acp?.wrappers?.map((wrapper) => wrapper.package) ?? own
  return [
    ...(agent?.headless ? [{ ...base, channel: 'headless' } as const] : []),
    ...wrappers.flatMap((wrapper) =>
      answers.map((permissions): PlanCell => ({
        ...base,
        channel: 'acp',
        permissions,
        ...(wrapper === undefined ? {} : { wrapper }),
      })),
    ),
    ...(agent?.terminal ? [{ ...base, channel: 'terminal' } as const] : []),
  ]
}

/**
 * What a test run tries: every cell of the version that the matrix selects, else some of the newest versions, each with
 * the preferred wrapper.
 */
export function listTestCells(): PlanCell[] {
  const cells = listPlanCells().filter(({ agent, version }) => listTestVersions(agent).includes(version))
  if (process.env['REMORA_MATRIX'] !== undefined) return cells
  return cells.filter(
    ({ agent, user, channel, permissions, wrapper }) =>
      user === 'ordinary' &&
      (channel === 'headless' || (channel === 'acp' && permissions === 'allow')) &&
      wrapper === (wrapper && findAgent(agent)?.acp?.wrappers?.[0]?.package),
  )
}
