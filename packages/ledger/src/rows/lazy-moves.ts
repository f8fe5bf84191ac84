import type { MovePart, MoveRows, MoveStore } from '../model/ledger.ts'

/** Loads the module of the store on first use, since few commands need it. */
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
