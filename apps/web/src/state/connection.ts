import type { PersonRole } from '@remora/protocol'
import { create } from 'zustand'
import type { ConnectionState } from '../wire/connection.ts'
import { local } from './local.ts'

interface ConnectionStore {
  readonly state: ConnectionState
  /** When it became so. */
  readonly since: number
  /** Whether requests wait because the server limits their rate. */
  readonly isBusy: boolean
  /** The id under which the server keeps this device's commands. */
  readonly client: string | undefined
  readonly version: string | undefined
  /** Whose device this is, and what that person may do. */
  readonly person: string | undefined
  readonly role: PersonRole | undefined
}

/** Whether there is a connection, and since when. @example const isOnline = useConnection(({ state }) => state === 'online') */
export const useConnection = create<ConnectionStore>(() => ({
  state: 'connecting',
  since: Date.now(),
  isBusy: false,
  client: undefined,
  version: undefined,
  person: undefined,
  // As it was last, for the time until the server says it.
  role: local.read<PersonRole>('role'),
}))

/** Whether this person may do more than look. @example const isViewer = useIsViewer() */
export function useIsViewer(): boolean {
  return useConnection(({ role }) => role === 'viewer')
}
