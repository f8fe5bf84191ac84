import type { MovePart, MoveRows, MoveStore } from '../ledger.ts'

/** Loads what few ever need when it is needed. */
export function createLazyMoveStore(load: () => Promise<MoveStore>): MoveStore {
  return {
    async read(part, after) {
      return (await load()).read(part, after)
    },
    async write<P extends MovePart>(part: P, rows: readonly MoveRows[P][]) {
      await (await load()).write(part, rows)
    },
  }
}
