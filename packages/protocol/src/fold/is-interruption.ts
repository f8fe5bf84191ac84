import type { Event } from '../event.ts'

/** Whether an event reports that the user stopped the turn. */
export function isInterruption(event: Event): boolean {
  if (event.type === 'status')
    return event.status === 'idle' && ['cancelled', 'interrupted'].includes(event.detail ?? '')
  if (event.type === 'error') return event.code === 'aborted'
  return event.type === 'done' && event.stopReason === 'cancelled'
}
