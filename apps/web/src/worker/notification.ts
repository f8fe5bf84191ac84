import type { Notice } from '@remora/protocol/api'
import { enWorker as words } from '../words/en.ts'

/** What a notification carries, so that a tap on it knows what it was about. */
export interface Carried {
  readonly session?: Notice['session']
  readonly ask?: Notice['ask']
  readonly actions?: Notice['actions']
}

/** Browsers know more of a notification than the types of the platform do. */
export type ShownOptions = NotificationOptions & {
  readonly actions?: readonly { readonly action: string; readonly title: string }[]
  readonly renotify?: boolean
  readonly data: Carried
}

/** How a notice looks; undefined for one that only changes the number. What nobody understands is said all the same. */
export function toNotification(
  notice: Notice | undefined,
  maxActions: number,
): { readonly title: string; readonly options: ShownOptions } | undefined {
  const looks = { icon: '/icon-192.png', badge: '/badge-96.png' }
  if (!notice)
    return { title: 'Remora', options: { ...looks, body: words.something, tag: 'remora', data: {} } }
  const { type, title, body, tag, session, ask, actions = [] } = notice
  if (type === 'badge') return undefined
  const isAsk = type === 'ask' && session !== undefined && ask !== undefined
  const own = isAsk ? actions.map(({ action, title: label }) => ({ action, title: label })) : []
  // A tap on the notification opens it anyway: said only where there is room.
  const canAllow = own.some(({ action }) => action === 'allow')
  const open = { action: 'open', title: canAllow ? words.open : words.openToReview }
  const offered = own.length > 0 && own.length < maxActions ? [...own, open] : own
  return {
    title: title ?? 'Remora',
    options: {
      ...looks,
      ...(body === undefined ? {} : { body }),
      ...(tag === undefined || tag === '' ? {} : { tag, renotify: isAsk }),
      ...(offered.length === 0 ? {} : { actions: offered }),
      requireInteraction: isAsk,
      data: { ...(session ? { session } : {}), ...(isAsk ? { ask, actions } : {}) },
    },
  }
}
