import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import type { Lease, LeaseHolder, Ledger } from '@remora/ledger'
import { isRunning } from '@remora/sdk/transcripts'

const leaseMs = 15_000

/** A lease that is kept until it is released, or lost. */
export interface KeptLease {
  readonly lease: Lease
  /** Aborts when another process has taken the lease over, as happens to a process that slept. */
  readonly lost: AbortSignal
  release(): Promise<void>
}

/**
 * Takes a lease and renews it, or returns its holder. A lease of a killed process on this machine is taken over at
 * once.
 *
 * @example const kept = await keepLease(ledger, 'spool', 'remora ingest')
 */
export async function keepLease(
  ledger: Ledger,
  name: string,
  what: string,
): Promise<KeptLease | { readonly heldBy: LeaseHolder }> {
  const holder = { what, pid: process.pid, host: thisMachine(ledger) }
  let taken = await ledger.leases.take(name, holder, leaseMs)
  if ('heldBy' in taken && (await isDead(taken.heldBy, ledger))) {
    await ledger.leases.release(taken.lease)
    taken = await ledger.leases.take(name, holder, leaseMs)
  }
  return 'heldBy' in taken ? { heldBy: taken.heldBy } : keep(ledger, taken)
}

/**
 * Takes a lease and renews it; waits for another holder until the signal.
 *
 * @example await awaitLease(ledger, 'import', 'remora import', signal)
 */
export async function awaitLease(
  ledger: Ledger,
  name: string,
  what: string,
  signal?: AbortSignal,
): Promise<KeptLease> {
  for (;;) {
    const kept = await keepLease(ledger, name, what)
    if (!('heldBy' in kept)) return kept
    await sleep(50, undefined, signal ? { signal } : {})
  }
}

function keep(ledger: Ledger, lease: Lease): KeptLease {
  const lost = new AbortController()
  const renewing = setInterval(() => {
    void ledger.leases.renew(lease, leaseMs).then(
      (held) =>
        held ||
        lost.abort(new RemoraError('conflict', `Another process has taken over what ${lease.name} is for`)),
      () => {},
    )
  }, leaseMs / 3)
  return {
    lease,
    lost: lost.signal,
    async release() {
      clearInterval(renewing)
      await ledger.leases.release(lease).catch(() => {})
    },
  }
}

/** Whether the holder was killed, which is known only of processes on this machine. */
export async function isDead({ pid, host }: LeaseHolder, ledger: Pick<Ledger, 'node'>): Promise<boolean> {
  return pid !== undefined && host === thisMachine(ledger) && !(await isRunning({ pid }))
}

/**
 * The name of a lease for this machine alone, if several machines share the ledger.
 *
 * @example await keepLease(ledger, ownLease(ledger, 'server'), 'remora serve')
 */
export function ownLease({ node }: Pick<Ledger, 'node'>, name: string): string {
  return node === undefined ? name : `${name} of ${node}`
}

/**
 * The name of this machine in leases. It includes the node, because two machines may have the same host name.
 *
 * @example thisMachine(ledger) // 'desk (n-7f3k9q)'
 */
export function thisMachine({ node }: Pick<Ledger, 'node'>): string {
  return node === undefined ? hostname() : `${hostname()} (${node})`
}
