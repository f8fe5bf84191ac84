import type { LiveInfo } from '@remora/protocol'

/** Whether the agent says or does something in this moment that is not written down yet. */
export function saysNow(live: LiveInfo | undefined, text: string | undefined): boolean {
  return live?.state === 'working' || live?.state === 'starting' || Boolean(text)
}
