import type { LiveInfo } from '@remora/protocol'
import { words } from '../../words/index.ts'

/**
 * Why the state of a session is not known now; undefined where it is.
 *
 * @example getUnknownState(live, false) // 'Offline, state unknown'
 */
export function getUnknownState({ node }: Pick<LiveInfo, 'node'>, isOnline: boolean): string | undefined {
  if (!isOnline) return words.status.offline
  return node?.silent ? words.machines.silent(node.name) : undefined
}
