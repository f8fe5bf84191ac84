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
  const icons = { icon: '/icon-192.png', badge: '/badge-96.png' }
  if (!notice) return { title: 'Remora', options: { ...icons, body: words.unknown, tag: 'remora', data: {} } }
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
      ...icons,
      body,
      ...(tag === undefined || tag === '' ? {} : { tag, renotify: isAsk }),
      ...(offered.length === 0 ? {} : { actions: offered }),
      requireInteraction: isAsk,
      data: { ...(session ? { session } : {}), ...(isAsk ? { ask, actions } : {}) },
    },
  }
}

/** Push services accept four kilobytes. Longer messages are not from our server. */
const longest = 10_000

/** Parses a push message. Never throws, because a failing worker would lose the push silently. */
export function readNotice(text: string | undefined): Notice | undefined {
  if (text === undefined || text.length > longest) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isRecord(value) || value['version'] !== 1) return undefined
  const type = (['ask', 'done', 'error', 'badge'] as const).find((each) => each === value['type'])
  if (!type) return undefined
  const { badge, title, body, tag, session, ask, actions, settled } = value
  const count = typeof badge === 'number' && badge >= 0 && badge < 100_000 ? Math.floor(badge) : 0
  return {
    version: 1,
    type,
    badge: count,
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof body === 'string' ? { body } : {}),
    ...(typeof tag === 'string' ? { tag } : {}),
    ...(hasTexts(session, 'agent', 'session')
      ? { session: { agent: session.agent, session: session.session } }
      : {}),
    ...(hasTexts(ask, 'id', 'digest') ? { ask: { id: ask.id, digest: ask.digest } } : {}),
    ...(Array.isArray(actions) ? { actions: (actions as unknown[]).flatMap(readAction).slice(0, 2) } : {}),
    ...(Array.isArray(settled)
      ? { settled: settled.filter((each): each is string => typeof each === 'string') }
      : {}),
  }
}

function readAction(value: unknown): NonNullable<Notice['actions']> {
  if (!hasTexts(value, 'action', 'title', 'option')) return []
  const { action, title, option } = value
  return action === 'allow' || action === 'deny' ? [{ action, title, option }] : []
}

function hasTexts<N extends string>(value: unknown, ...names: N[]): value is Record<N, string> {
  return isRecord(value) && names.every((name) => typeof value[name] === 'string')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
