import type { LiveInfo } from '@remora/protocol/plain'
import { ensureServer } from '../client/background.ts'
import { liveSessions } from '../client/find-live.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { type Colors, colors } from '../output/colors.ts'
import { ago } from '../output/format-time.ts'
import { homePath } from '../output/home-path.ts'
import { oneLine } from '../output/one-line.ts'
import { type Column, type Row, table } from '../output/table.ts'
import { writeAll } from '../output/write-all.ts'
import { type Adoptable, adoptable } from './adopt-agent.ts'

const columns: readonly Column[] = [
  { title: 'ID' },
  { title: 'STATE', least: 7 },
  { title: 'AGENT' },
  { title: 'MODE', least: 7, gives: 1 },
  { title: 'TITLE', least: 10, from: 90 },
  { title: 'FOLDER', least: 8, gives: 2, cut: 'start' },
  { title: 'SINCE' },
  { title: 'ASKS', align: 'right' },
  { title: 'QUEUE', align: 'right' },
  { title: 'WORKTREE', least: 8, from: 100 },
]

/** Lists live sessions and agents that can be adopted. */
export async function listLive(input: Input, io: Io): Promise<number> {
  await ensureServer(io)
  const everywhere = input.values['everywhere'] === true
  const all = (await liveSessions(io)).filter(({ node }) => everywhere || node === undefined)
  const shown = all
    .filter(({ state }) => input.values['all'] === true || state !== 'ended')
    .toSorted((left, right) => left.startedAt - right.startedAt)
  const others = await adoptable(io)
  if (input.values['json'])
    return writeAll(io, [`${JSON.stringify({ live: shown, adoptable: others }, null, 2)}\n`])
  const paint = await colors(input, io)
  if (shown.length === 0) {
    io.err('No live sessions.\n')
    io.err('  Start one: remora new gemini, with a prompt: remora new gemini --prompt "…"\n')
    io.err('  Without an agent or API key: remora demo\n')
  }
  const lines = [
    ...(shown.length === 0
      ? []
      : table(...machined(rows(shown, paint, io), shown), io.columns ?? 1000, paint)),
    ...adoptableLines(others, paint, io),
  ]
  return writeAll(
    io,
    lines.map((line) => `${line}\n`),
  )
}

/** Adds the machine to the id if there are several. */
function machined(plain: readonly Row[], shown: readonly LiveInfo[]): [readonly Column[], readonly Row[]] {
  if (shown.every(({ node }) => node === undefined)) return [columns, plain]
  const machine = ({ node }: LiveInfo): string =>
    node === undefined ? 'this machine' : `${oneLine(node.name, 40)}${node.silent ? ' (offline)' : ''}`
  return [
    columns.toSpliced(1, 0, { title: 'MACHINE', least: 8 }),
    plain.map((row, index) => ({ ...row, cells: row.cells.toSpliced(1, 0, machine(shown[index]!)) })),
  ]
}

function rows(shown: readonly LiveInfo[], paint: Colors, io: Io): Row[] {
  const now = Date.now()
  return shown.map((live) => ({
    cells: [
      live.id,
      describeState(live),
      live.agent,
      oneLine(live.mode ?? '', 20) || '-',
      oneLine(live.title ?? '', 60) || '-',
      homePath(live.cwd, io.home),
      ago(live.since, now),
      live.asks === 0 ? '-' : String(live.asks),
      live.queued === 0 ? '-' : String(live.queued),
      live.worktree ? oneLine(live.worktree.branch, 40) : '-',
    ],
    paint: painted(live, paint),
  }))
}

function describeState({ state, detail, channel, adopted }: LiveInfo): string {
  const marks = [channel === 'acp' ? 'acp' : '', adopted ? 'adopted' : ''].filter(Boolean).join(', ')
  const about = detail ? `: ${oneLine(detail, 30)}` : ''
  return `${state}${about}${marks === '' ? '' : ` (${marks})`}`
}

function painted({ state, node }: LiveInfo, paint: Colors): Row['paint'] {
  // The machine is offline, so the current state is unknown.
  if (node?.silent) return paint.dim
  if (state === 'asking') return paint.yellow
  if (state === 'error') return paint.red
  return state === 'ended' ? paint.dim : undefined
}

function adoptableLines(others: readonly Adoptable[], paint: Colors, io: Io): string[] {
  if (others.length === 0) return []
  return [
    '',
    'In your own tmux, not managed by Remora:',
    ...others.map(
      ({ id, agent, cwd, name }) =>
        `  ${id}  ${agent}  ${homePath(cwd, io.home)}  ${paint.dim(`tmux session ${oneLine(name ?? '', 40)}`)}`,
    ),
    paint.dim(`To manage one: remora adopt ${others[0]!.id}`),
  ]
}
