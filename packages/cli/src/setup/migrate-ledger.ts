import { openHome } from '@remora/ledger-postgres'
import { ownLease } from '@remora/intake'
import {
  type Ledger,
  type MoveVerdict,
  databaseVariable,
  describeDatabase,
  endMove,
  readHomeDatabase,
  moveLedger,
  openLedger,
  verifyMove,
} from '@remora/ledger'
import { fail, UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { writeSetting } from '../home/config.ts'
import { ledgerPath, remoraHome } from '../home/remora-home.ts'
import { countArchivedEvents } from '../ledger/archived-events.ts'
import { plural } from '../output/format-number.ts'
import { homePath } from '../output/home-path.ts'
import { Progress } from '../output/progress.ts'
import { stopCode } from '../output/write-all.ts'

/** Copies the ledger, compares both, and then changes the setting. */
export async function migrateLedger(to: string, input: Input, io: Io): Promise<number> {
  const signal = io.stopped?.() ?? new AbortController().signal
  const home = remoraHome(io)
  const url = to === 'sqlite' ? undefined : to
  if (url !== undefined && !/^postgres(?:ql)?:\/\//.test(url))
    throw new UsageError('--to must be a PostgreSQL URL, or sqlite', 'See: remora data migrate --help')
  const present = await readHomeDatabase({ remoraHome: home, env: io.env })
  if (present === url)
    throw await fail('usage', `The ledger is already in ${place(url, io)}`, 'Choose another target with --to')
  const from = await openHome({ remoraHome: home, env: io.env })
  try {
    await refuseServer(from)
    const target =
      url === undefined
        ? await openLedger({ file: ledgerPath(io) })
        : await openHome({ remoraHome: home, env: { ...io.env, [databaseVariable]: url } })
    try {
      const verdict = await moveAll(from, target, io, signal)
      if (verdict === undefined) {
        io.err('Stopped. Run it again to continue.\n')
        return stopCode(signal)
      }
      return await conclude({ verdict, from, target, url, input, io })
    } finally {
      await target.close()
    }
  } finally {
    await from.close()
  }
}

/** Undefined if it was interrupted. */
async function moveAll(
  from: Ledger,
  target: Ledger,
  io: Io,
  signal: AbortSignal,
): Promise<MoveVerdict | undefined> {
  const progress = new Progress(io)
  try {
    await moveLedger(from, target, {
      signal,
      onProgress: ({ part, done, total }) =>
        progress.update('Moving', total ? done / total : 1, `${part}: ${done}${total ? ` of ${total}` : ''}`),
    })
    progress.update('Comparing', 0, '')
    const verdict = await verifyMove(from, target, { signal })
    await target.indexText({
      signal,
      onProgress: ({ done, total }) =>
        progress.update('Building the search index', done / (total || 1), `${done} of ${total}`),
    })
    return verdict
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  } finally {
    progress.clear()
  }
}

interface Outcome {
  readonly verdict: MoveVerdict
  readonly from: Ledger
  readonly target: Ledger
  readonly url: string | undefined
  readonly input: Input
  readonly io: Io
}

async function conclude({ verdict, from, target, url, input, io }: Outcome): Promise<number> {
  const { sessions, events, differences } = verdict
  const json = input.values['json'] === true
  const isKept = input.values['copy-only'] === true
  const same = differences.length === 0
  if (same && !isKept) {
    await writeSetting(io, 'database', url)
    await endMove(from, target)
  }
  const where = place(url, io)
  if (json)
    io.out(
      `${JSON.stringify({ to: where, sessions, events, same, switched: same && !isKept, differences }, null, 2)}\n`,
    )
  if (!same) {
    for (const { part, agent, session, why } of differences.slice(0, 10))
      io.err(`remora: ${[part, agent, session].filter(Boolean).join(' ')}: ${why}\n`)
    io.err(
      `${plural(differences.length, 'difference')}: still using the old ledger. Stop other writers and run it again.\n`,
    )
    return 1
  }
  if (json) return 0
  io.out(
    `${plural(sessions, 'session')} and ${plural(events, 'event')} copied to ${where}, verified by count and digest.\n`,
  )
  const archived = await countArchivedEvents(from)
  if (archived > 0)
    io.err(`${plural(archived, 'event')} in archives are not moved. List them: remora data archives\n`)
  if (isKept) io.out('Still using the old ledger.\n')
  else {
    io.out('This machine now uses the new ledger. The old one is kept.\n')
    if (io.env[databaseVariable])
      io.err(`remora: ${databaseVariable} is set and overrides the setting. Change it, too\n`)
  }
  return 0
}

/** Refuses while a server runs, because it would write to the old ledger. */
async function refuseServer(from: Ledger): Promise<void> {
  const held = await from.leases.find(ownLease(from, 'server'))
  if (held)
    throw await fail(
      'conflict',
      `A server is running (process ${held.heldBy.pid}) and writes to the old ledger`,
      'Stop it first: remora stop. Agents keep running.',
    )
}

function place(url: string | undefined, io: Io): string {
  return url === undefined ? homePath(ledgerPath(io), io.home) : `the database ${describeDatabase(url)}`
}
