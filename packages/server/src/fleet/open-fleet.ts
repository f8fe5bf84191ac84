import { type OwnNode, getOwnNode } from '@remora/ledger'
import type { Live } from '../core/live.ts'
import { Heartbeats } from './heartbeats.ts'
import { type FleetOptions as LiveOptions, FleetLive } from './fleet-live.ts'

export interface FleetOptions extends LiveOptions {
  readonly version: string
}

/** The machines that share a ledger. */
export interface Fleet {
  readonly live: Live
  /** Starts the heartbeat, after the sessions of this machine are restored. */
  start(): void
  close(): Promise<void>
}

/** Joins the machines that share a ledger; undefined for a ledger of one machine. */
export function openFleet({ version, ...options }: FleetOptions): Fleet | undefined {
  const { ledger, local, remoraHome, log, times } = options
  if (ledger.node === undefined) return undefined
  const live = new FleetLive(options)
  const self = (): Promise<OwnNode> => getOwnNode(remoraHome)
  let heartbeats: Heartbeats | undefined
  return {
    live,
    start() {
      heartbeats ??= new Heartbeats({ ledger, live: local, self, version, log, ...(times ? { times } : {}) })
    },
    async close() {
      await Promise.all([heartbeats?.close(), live.close()])
    },
  }
}
