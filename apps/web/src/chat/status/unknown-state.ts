import type { LiveInfo } from '@remora/protocol'
import { words } from '../../words/index.ts'

/**
 * Explains why the state of a session is unknown; undefined if it is known.
 *
 * @example getUnknownState(live, false) // 'Offline, status unknown'
 */
export function getUnknownState({ node }: Pick<LiveInfo, 'node'>, isOnline: boolean): string | undefined {
  if (!isOnline) return words.status.offline
  return node?.silent ? words.machines.offline(node.name) : undefined
}
