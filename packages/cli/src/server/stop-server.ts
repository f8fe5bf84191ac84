import { setTimeout as sleep } from 'node:timers/promises'
import { ownLease, thisMachine } from '@remora/intake'
import { liveSessions } from '../client/find-live.ts'
import { serverHealth } from '../client/server-client.ts'
import { isProcessAlive, readNote } from '../client/server-note.ts'
import { fail } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { withLedger } from '../ledger/with-ledger.ts'
import { plural } from '../output/format-number.ts'

/** Longer than the server itself waits for open connections, also on a busy machine. */
const stopTimeoutMs = 30_000
const lookMs = 50

/** Stops the server. Agents keep running. */
export async function stop({ values }: Input, io: Io): Promise<number> {
  const health = await serverHealth(io)
  const note = await readNote(io)
  if (!health) {
    if (values['json']) io.out('{"stopped":false,"running":false}\n')
    else io.err('The Remora server is not running.\n')
    return 0
  }
  const pid = (await findLeaseHolder(io)) ?? note?.pid
  if (pid === undefined)
    throw await fail(
      'unknown',
      'A server answers, but its process id is unknown',
      'Stop it where it was started.',
    )
  // Read before it stops, because nothing can report it afterwards.
  const running = (await liveSessions(io).catch(() => [])).filter(
    ({ state, node }) => state !== 'ended' && !node,
  ).length
  await send(pid)
  for (const until = Date.now() + stopTimeoutMs; Date.now() < until; await sleep(lookMs)) {
    if (isProcessAlive(pid) || (await serverHealth(io, 500))) continue
    if (values['json']) io.out(`${JSON.stringify({ stopped: true, pid, sessions: running })}\n`)
    else
      io.out(
        `Stopped.${running > 0 ? ` ${plural(running, 'session')} still running; remora serve reconnects.` : ''}\n`,
      )
    return 0
  }
  throw await fail(
    'timeout_total',
    `The server (process ${pid}) did not stop`,
    `Check the log: remora logs. To force: kill -9 ${pid} (agents keep running)`,
  )
}

/** The server is the holder of the ledger's server lease, whatever a file says. */
async function findLeaseHolder(io: Io): Promise<number | undefined> {
  return withLedger(
    io,
    async (ledger) => {
      const held = await ledger.leases.find(ownLease(ledger, 'server'))
      return held?.heldBy.host === thisMachine(ledger) ? held.heldBy.pid : undefined
    },
    { current: false },
  )
}

async function send(pid: number): Promise<void> {
  try {
    process.kill(pid, 'SIGTERM')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return
    throw await fail(
      'permission',
      `No permission to stop the server (process ${pid})`,
      'Stop it as the user that started it.',
    )
  }
}
