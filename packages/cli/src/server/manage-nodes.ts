import { type Ledger, type NodeEntry, renameNode } from '@remora/ledger'
import { fail } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { remoraHome } from '../home/remora-home.ts'
import { sharedDatabase } from '../ledger/ledger-location.ts'
import { silentMs } from '../ledger/server-records.ts'
import { withLedger } from '../ledger/with-ledger.ts'
import { colors } from '../output/colors.ts'
import { plural } from '../output/format-number.ts'
import { ago } from '../output/format-time.ts'
import { oneLine } from '../output/one-line.ts'
import { table } from '../output/table.ts'
import { writeAll } from '../output/write-all.ts'

const columns = [
  { title: 'NAME', least: 10 },
  { title: 'SESSIONS', align: 'right' },
  { title: 'LAST SEEN' },
  { title: 'VERSION' },
  { title: 'ID' },
] as const

/** Lists machines, renames this one, or removes one. */
export async function nodes(input: Input, io: Io): Promise<number> {
  const [action, word] = input.positionals
  if ((await sharedDatabase(io)) === undefined) return alone(input, io)
  if (action === 'name') return rename(word!, input, io)
  const work = action === 'remove' ? remove : list
  return withLedger(io, (ledger) => work(ledger, input, io), { current: false })
}

async function alone(input: Input, io: Io): Promise<number> {
  if (input.positionals.length > 0) throw await fail('usage', 'This machine does not share its ledger', howTo)
  if (input.values['json']) io.out('[]\n')
  else io.err(`This machine does not share its ledger.\n  ${howTo}\n`)
  return 0
}

const howTo = 'To share it, run on each machine: remora data migrate --to postgres://user:password@host/name'

async function list(ledger: Ledger, input: Input, io: Io): Promise<number> {
  const all = await ledger.nodes.list()
  if (input.values['json'])
    return writeAll(io, [
      `${JSON.stringify(
        all.map((node) => nodeJson(node, ledger)),
        null,
        2,
      )}\n`,
    ])
  if (all.length === 0) {
    io.err('No machine has reported yet.\n  Start the server: remora serve\n')
    return 0
  }
  const paint = await colors(input, io)
  const now = Date.now()
  const rows = all.map((node) => ({
    cells: [
      `${oneLine(node.name, 60)}${node.id === ledger.node ? ' (this machine)' : ''}`,
      node.silentMs > silentMs ? '?' : String(countLive(node)),
      ago(now - node.silentMs, now),
      oneLine(node.version, 20),
      node.id,
    ],
    paint: node.silentMs > silentMs ? paint.dim : undefined,
  }))
  const lines = table(columns, rows, io.columns ?? 1000, paint)
  return writeAll(
    io,
    lines.map((line) => `${line}\n`),
  )
}

function nodeJson(node: NodeEntry, ledger: Ledger) {
  const { id, name, version } = node
  return {
    id,
    name,
    version,
    silentMs: node.silentMs,
    silent: node.silentMs > silentMs,
    live: countLive(node),
    here: id === ledger.node,
  }
}

function countLive({ live }: NodeEntry): number {
  return live.filter(({ state }) => state !== 'ended').length
}

async function rename(word: string, { values }: Input, io: Io): Promise<number> {
  const { id, name } = await renameNode(remoraHome(io), word)
  if (values['json']) io.out(`${JSON.stringify({ id, name })}\n`)
  else io.out(`Renamed this machine to ${name}. Other machines show it within a few seconds.\n`)
  return 0
}

async function remove(ledger: Ledger, { values, positionals }: Input, io: Io): Promise<number> {
  const word = positionals[1]!
  const all = await ledger.nodes.list()
  const exact = all.filter(({ id }) => id === word)
  const fitting =
    exact.length > 0 ? exact : all.filter(({ name }) => name.toLowerCase() === word.toLowerCase())
  const [node, other] = fitting
  if (!node || other)
    throw await fail(
      'not_found',
      node ? `${plural(fitting.length, 'machine')} have the name "${word}"` : `No machine "${word}"`,
      node ? `Use an id: ${fitting.map(({ id }) => id).join(', ')}` : 'List them: remora nodes',
    )
  if (node.silentMs <= silentMs)
    throw await fail(
      'conflict',
      `${node.name} is online: last seen ${Math.round(node.silentMs / 1000)} seconds ago`,
      'Stop its server first, on that machine: remora stop',
    )
  await ledger.nodes.remove(node.id)
  if (values['json']) io.out(`${JSON.stringify({ removed: node.id })}\n`)
  else io.out(`Removed ${oneLine(node.name, 60)}. Its sessions stay in the ledger.\n`)
  return 0
}
