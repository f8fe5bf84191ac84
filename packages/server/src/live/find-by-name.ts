import type { LiveInfo } from '@remora/protocol'

/** By live id, by the agent's own id, or by a unique prefix of either. @example findByName(live.list(), 'l-7f') */
export function findByName(all: readonly LiveInfo[], word: string): LiveInfo | undefined {
  const exact = all.find(({ id, session }) => id === word || session === word)
  if (exact || word === '') return exact
  const fitting = all.filter(
    ({ id, session }) => id.startsWith(word) || id.startsWith(`l-${word}`) || session.startsWith(word),
  )
  return fitting.length === 1 ? fitting[0] : undefined
}
