import { hostname } from 'node:os'
import type { Ledger } from '@remora/ledger'

/**
 * What a lease is called that means this machine alone: where several share the ledger, each has one of its own.
 *
 * @example await keepLease(ledger, ownLease(ledger, 'server'), 'remora serve')
 */
export function ownLease({ node }: Pick<Ledger, 'node'>, name: string): string {
  return node === undefined ? name : `${name} of ${node}`
}

/** This machine, as one who holds a lease names it. Of those that share a ledger two may have the same name. */
export function thisMachine({ node }: Pick<Ledger, 'node'>): string {
  return node === undefined ? hostname() : `${hostname()} (${node})`
}
