import { setTimeout as sleep } from 'node:timers/promises'
import { type LiveInfo, describeSupport } from '@remora/protocol/plain'
import { notRunning } from '../client/background.ts'
import { liveSessions } from '../client/find-live.ts'
import { serverHealth } from '../client/server-client.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { readLedger } from '../ledger/read-ledger.ts'
import { listLiveRecords, listStoredLive } from '../ledger/server-records.ts'
import { type Colors, colors } from '../output/colors.ts'
import { plural } from '../output/format-number.ts'
import { ago, withIsoTimes } from '../output/format-time.ts'
import { homePath } from '../output/home-path.ts'
import { getModeLabel } from '../args/modes.ts'
import { oneLine } from '../output/one-line.ts'
import { type Column, type Row, table } from '../output/table.ts'
import { stopCode, writeAll } from '../output/write-all.ts'
import { type Adoptable, listAdoptable, toPaneId } from './adopt-agent.ts'
import { agentTitle, exampleAgent } from '../detection/agent-names.ts'

/** Interval of --watch, and that of its slower scan of the user's tmux. */
const watchMs = 1000
const scanMs = 10_000

const columns: readonly Column[] = [
  { title: 'ID' },
  { title: 'STATE', least: 7 },
  { title: 'AGENT' },
  { title: 'MODE', least: 7, gives: 1, from: 62 },
  { title: 'TITLE', least: 10, from: 90 },
  { title: 'FOLDER', least: 8, gives: 2, cut: 'start' },
  { title: 'SINCE' },
  { title: 'ASKS', align: 'right' },
  { title: 'QUEUE', align: 'right', from: 70 },
  { title: 'WORKTREE', least: 8, from: 100 },
]

interface LiveList {
  readonly live: readonly LiveInfo[]
  readonly adoptable: readonly Adoptable[]
  /** Without a server, states are those that the last one recorded. */
  readonly running: boolean
}

/** Lists live sessions and agents that can be adopted, once or on every change. Starts no server. */
export async function listLive(input: Input, io: Io): Promise<number> {
  const paint = await colors(input, io)
  if (input.values['watch']) return watchLive(input, io, paint)
  const list = await readLive(input, io)
  if (input.values['json']) return writeAll(io, [`${JSON.stringify(toListJson(list), null, 2)}\n`])
  if (list.live.length === 0) {
    io.err('No live sessions.\n')
    io.err(
      `  Start one: remora new ${exampleAgent}, with a prompt: remora new ${exampleAgent} --prompt "…"\n`,
    )
    io.err('  Without an agent or API key: remora demo\n')
  } else if (!list.running) io.err(notRunning)
  return writeAll(io, formatList(list, paint, io))
}

/** Prints the list again when it changes: on a terminal in place of the previous one, in a pipe below it. */
async function watchLive(input: Input, io: Io, paint: Colors): Promise<number> {
  const signal = io.stopped?.() ?? new AbortController().signal
  const json = input.values['json'] === true
  const redraw = io.terminal && !json
  let [adoptable, scannedAt, printed]: [readonly Adoptable[], number, string?] = [[], 0]
  while (!signal.aborted) {
    const isScanDue = Date.now() - scannedAt >= scanMs
    const list = await readLive(input, io, isScanDue ? undefined : adoptable).catch((error: unknown) => {
      // The server may stop between two requests. The next round then reads the ledger.
      if (signal.aborted || printed !== undefined) return undefined
      throw error
    })
    if (list && isScanDue) [adoptable, scannedAt] = [list.adoptable, Date.now()]
    const text = list && formatList(list, paint, io).join('')
    const state = list && (redraw ? text : JSON.stringify(toListJson(list)))
    if (list && state !== printed) {
      if (redraw) io.clearScreen?.()
      io.out(json ? `${state}\n` : `${formatWatchHead(list, paint)}\n${text}${redraw ? '' : '\n'}`)
      printed = state
    }
    await sleep(watchMs, undefined, { signal }).catch(() => {})
  }
  return stopCode(signal)
}

function formatWatchHead({ live, running }: LiveList, paint: Colors): string {
  const count = live.length === 0 ? 'No live sessions' : plural(live.length, 'live session')
  return paint.dim(`${count}${running ? '' : ' (server not running)'}. Press Ctrl+C to stop.`)
}

/** Reads the list from the server, or from the ledger if none is running. */
async function readLive(input: Input, io: Io, knownAdoptable?: readonly Adoptable[]): Promise<LiveList> {
  const running = (await serverHealth(io)) !== undefined
  const all = running ? await liveSessions(io) : await readLedger(io, listStoredLive, { current: false })
  return {
    live: all
      .filter(({ node }) => input.values['everywhere'] === true || node === undefined)
      .filter(({ state }) => input.values['all'] === true || state !== 'ended')
      .toSorted((left, right) => left.startedAt - right.startedAt),
    adoptable: knownAdoptable ?? (await (running ? listAdoptable(io) : findAdoptable(io))),
    running,
  }
}

/** Scans the user's tmux without a server. */
async function findAdoptable(io: Io): Promise<Adoptable[]> {
  const { findTerminals } = await import('@remora/sdk/terminal')
  const { mask } = await import('@remora/ledger')
  const records = await readLedger(io, listLiveRecords, { current: false })
  return (await findTerminals({ env: io.env }))
    .map(({ agent, address, args, ...rest }) => {
      const found = { ...rest, agent: agent.id, ...address, args: args.map(mask) }
      return { ...found, id: toPaneId(found) }
    })
    .filter(
      ({ socket, pane }) =>
        !records.some(({ terminal }) => terminal?.socket === socket && terminal.pane === pane),
    )
}

function toListJson({ live, adoptable, running }: LiveList) {
  return {
    live: live.map((info) => withIsoTimes(info, 'startedAt', 'since')),
    adoptable: adoptable.map((each) => withIsoTimes(each, 'startedAt')),
    ...(running ? {} : { serverRunning: false }),
  }
}

function formatList({ live, adoptable }: LiveList, paint: Colors, io: Io): string[] {
  return [
    ...(live.length === 0 ? [] : table(...machined(rows(live, paint, io), live), io.columns ?? 1000, paint)),
    ...driftLines(live, paint),
    ...adoptableLines(adoptable, paint, io),
  ].map((line) => `${line}\n`)
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
      oneLine(getModeLabel(live) ?? '', 24) || '-',
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

/** Versions of agents that are not tested on the channel of their session, one line each. */
function driftLines(live: readonly LiveInfo[], paint: Colors): string[] {
  const lines = live.flatMap(({ agent, channel, state, support }) => {
    const options = { title: agentTitle(agent), channels: [channel] }
    const about = support && state !== 'ended' ? describeSupport(support, options) : undefined
    return about === undefined ? [] : [`${about}. Check it: remora doctor --probe ${agent}`]
  })
  return lines.length === 0 ? [] : ['', ...[...new Set(lines)].map((line) => paint.dim(line))]
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
