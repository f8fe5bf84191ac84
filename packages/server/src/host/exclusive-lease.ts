import { thisMachine } from '@remora/intake'
import type { Lease, LeaseHolder, Ledger } from '@remora/ledger'
import { RemoraError } from '@remora/protocol/plain'
import { isRunning, thisProcess } from '@remora/sdk/acp'

/** Long, so that an idle host writes nothing. Whether the holder lives is checked by its process. */
const leaseMs = 24 * 60 * 60 * 1000

/**
 * Takes a lease for this process until it is released or the process exits. Throws `conflict` with the holder if another
 * process has it.
 *
 * @example const release = await takeExclusiveLease(ledger, 'host l-7f3k9q')
 */
export async function takeExclusiveLease(
  ledger: Pick<Ledger, 'leases' | 'node'>,
  name: string,
): Promise<() => Promise<void>> {
  const { pid, startTime } = await thisProcess()
  const holder = { what: `a host since ${startTime ?? 'long'}`, pid, host: thisMachine(ledger) }
  let taken = await ledger.leases.take(name, holder, leaseMs)
  if ('heldBy' in taken && !(await isHeld(taken.heldBy, ledger))) {
    await ledger.leases.release(taken.lease)
    taken = await ledger.leases.take(name, holder, leaseMs)
  }
  if ('heldBy' in taken)
    throw new RemoraError(
      'conflict',
      `Process ${taken.heldBy.pid} on ${taken.heldBy.host} already manages ${name}`,
      {
        hint: 'List live sessions: remora ls',
      },
    )
  const lease: Lease = taken
  const renewing = setInterval(() => void ledger.leases.renew(lease, leaseMs).catch(() => {}), leaseMs / 3)
  renewing.unref()
  return async () => {
    clearInterval(renewing)
    await ledger.leases.release(lease)
  }
}

/** Pids are reused, so the start time must match too. */
async function isHeld({ what, pid, host }: LeaseHolder, ledger: Pick<Ledger, 'node'>): Promise<boolean> {
  if (pid === undefined || host !== thisMachine(ledger)) return true
  const [, startTime] = /^a host since (\d.*)$/.exec(what) ?? []
  return isRunning({ pid, ...(startTime === undefined ? {} : { startTime }) })
}
