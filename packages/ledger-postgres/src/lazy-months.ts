import type { MonthStore } from '@remora/ledger'

/** Loads what few ever need when it is needed. */
export function lazyMonths(load: () => Promise<MonthStore>): MonthStore {
  return {
    list: async (endedMs) => (await load()).list(endedMs),
    read: async (month, after) => (await load()).read(month, after),
    note: async (archive, sessions) => (await load()).note(archive, sessions),
    detach: async (month) => (await load()).detach(month),
    drop: async (archive) => (await load()).drop(archive),
    archives: async (session) => (await load()).archives(session),
  }
}
