import type { Notice } from '@remora/protocol/api'
import { workerTexts as words } from '../words/en/worker.ts'

/** The data of a notification, used when it is tapped. */
export interface Carried {
  readonly session?: Notice['session']
  readonly ask?: Notice['ask']
  readonly actions?: Notice['actions']
}

/** Browsers support more options than the platform types. */
export type ShownOptions = NotificationOptions & {
  readonly actions?: readonly { readonly action: string; readonly title: string }[]
  readonly renotify?: boolean
  readonly data: Carried
}

/** The notification for a notice; undefined if it only updates the badge. An unknown notice shows a general text. */
export function toNotification(
  notice: Notice | undefined,
  maxActions: number,
): { readonly title: string; readonly options: ShownOptions } | undefined {
  const looks = { icon: '/icon-192.png', badge: '/badge-96.png' }
  if (!notice) return { title: 'Remora', options: { ...looks, body: words.unknown, tag: 'remora', data: {} } }
  const { type, title, body, tag, session, ask, actions = [] } = notice
  if (type === 'badge') return undefined
  const isAsk = type === 'ask' && session !== undefined && ask !== undefined
  const own = isAsk ? actions.map(({ action, title: label }) => ({ action, title: label })) : []
  // A tap opens the request anyway, so the button is shown only if there is room.
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
