import type { PersonRole } from '@remora/protocol'
import { create } from 'zustand'
import type { ConnectionState } from '../wire/connection.ts'
import { local } from './local.ts'

interface ConnectionStore {
  readonly state: ConnectionState
  /** When the state was entered. */
  readonly since: number
  /** Whether requests are delayed by the server's rate limit. */
  readonly isBusy: boolean
  /** The id of this device for commands. */
  readonly client: string | undefined
  readonly version: string | undefined
  /** The user of this device and their role. */
  readonly person: string | undefined
  readonly role: PersonRole | undefined
}

/** The connection state. @example const isOnline = useConnection(({ state }) => state === 'online') */
export const useConnection = create<ConnectionStore>(() => ({
  state: 'connecting',
  since: Date.now(),
  isBusy: false,
  client: undefined,
  version: undefined,
  person: undefined,
  // The last known role, until the server sends it.
  role: local.read<PersonRole>('role'),
}))

/** Whether the user may only read. @example const isViewer = useIsViewer() */
export function useIsViewer(): boolean {
  return useConnection(({ role }) => role === 'viewer')
}
