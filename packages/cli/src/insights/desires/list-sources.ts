import { type Agent, agents, hookStatus } from '@remora/sdk/hooks'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { getAgentPlace } from '../../detection/agent-place.ts'
import { remoraHome } from '../../home/remora-home.ts'
import { readLedger } from '../../ledger/read-ledger.ts'
import { colors } from '../../output/colors.ts'
import { wholeNumber } from '../../output/format-number.ts'
import { type Column, table } from '../../output/table.ts'
import { wrap } from '../../output/wrap-words.ts'
import { writeAll } from '../../output/write-all.ts'

/** An agent as a source of calls. */
interface Source {
  readonly name: string
  readonly description: string
  /** Whether our hooks are installed; null if the agent has no hooks. */
  readonly installed: boolean | null
  readonly entries: number
  readonly failed: number
}

const columns: readonly Column[] = [
  { title: 'NAME' },
  { title: 'DESCRIPTION', least: 12 },
  { title: 'HOOKS' },
  { title: 'ENTRIES', align: 'right' },
  { title: 'FAILED', align: 'right' },
]

/** Lists the agents as sources of calls. */
export async function listSources(input: Input, io: Io): Promise<number> {
  return readLedger(io, async (ledger) => {
    const counts = new Map((await ledger.countCalls({ by: ['agent'] })).map((each) => [each.agent, each]))
    const sources: Source[] = await Promise.all(
      agents().map(async (agent) => ({
        name: agent.id,
        description: describe(agent),
        installed: await isInstalled(agent, io),
        entries: counts.get(agent.id)?.calls ?? 0,
        failed: counts.get(agent.id)?.failed ?? 0,
      })),
    )
    if (input.values['json']) return writeAll(io, [`${JSON.stringify(sources, null, 2)}\n`])
    const rows = sources.map(({ name, description, installed, entries, failed }) => ({
      cells: [
        name,
        description,
        installed === null ? '-' : installed ? 'installed' : 'not installed',
        wholeNumber(entries),
        wholeNumber(failed),
      ],
    }))
    const paint = await colors(input, io)
    const lines = table(columns, rows, io.columns ?? 1000, paint)
    if (io.terminal && sources.some(({ installed }) => installed === false))
      lines.push(
        '',
        ...wrap('Record calls as they happen: remora hooks install <agent>', io.columns ?? 1000).map(
          paint.dim,
        ),
      )
    return writeAll(
      io,
      lines.map((line) => `${line}\n`),
    )
  })
}

function describe({ title, transcripts, hooks }: Agent): string {
  const ways = [transcripts ? 'transcripts' : '', hooks ? 'hooks' : ''].filter(Boolean)
  return `${title}: ${ways.join(' and ')}`
}

async function isInstalled(agent: Agent, io: Io): Promise<boolean | null> {
  if (!agent.hooks) return null
  const place = await getAgentPlace(agent, io)
  return (await hookStatus(agent, { place, remoraHome: remoraHome(io) })).installed
}
