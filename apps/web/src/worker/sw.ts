import { type CallResult, readError } from '@remora/protocol/client'
import { cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching'
import { routes } from '../navigation/routes.ts'
import { showBadge } from '../notifications/badge.ts'
import { type Carried, readNotice, toNotification } from './notification.ts'
import { workerTexts as words } from '../words/en/worker.ts'

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: { url: string; revision: string | null }[] }

// The app shell is served from the cache. Data comes from the server or the local cache.
cleanupOutdatedCaches()
precacheAndRoute(self.__WB_MANIFEST)
const page = createHandlerBoundToURL('/index.html')

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { pathname, origin } = new URL(request.url)
  if (request.mode !== 'navigate' || origin !== self.location.origin) return
  if (pathname.startsWith('/api/') || /\.[a-z0-9]+$/i.test(pathname) || pathname === '/install') return
  event.respondWith(page({ event, request, url: new URL(request.url) }))
})

// An update waits until the user accepts it.
self.addEventListener('message', ({ data }) => {
  if (data === 'take over') void self.skipWaiting()
})
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('push', (event) => event.waitUntil(showPush(event.data)))
self.addEventListener('notificationclick', (event) => {
  const { notification, action } = event
  notification.close()
  event.waitUntil(chosen((notification.data ?? {}) as Carried, action, notification.tag))
})
self.addEventListener('pushsubscriptionchange', (event) => {
  const change = event as ExtendableEvent & {
    oldSubscription?: PushSubscription | null
    newSubscription?: PushSubscription | null
  }
  change.waitUntil(subscribeAgain(change.oldSubscription ?? undefined, change.newSubscription ?? undefined))
})

async function showPush(data: PushMessageData | null): Promise<void> {
  const notice = readNotice(readText(data))
  if (notice) showBadge(self.navigator, notice.badge)
  for (const tag of notice?.settled ?? [])
    for (const old of await self.registration.getNotifications({ tag })) old.close()
  const { maxActions } = Notification as unknown as { maxActions?: number }
  const shown = toNotification(notice, maxActions ?? 0)
  if (shown) await self.registration.showNotification(shown.title, shown.options)
}

function readText(data: PushMessageData | null): string | undefined {
  try {
    return data?.text()
  } catch {
    return undefined
  }
}

async function chosen(carried: Carried, action: string, tag: string): Promise<void> {
  if (action !== 'allow' && action !== 'deny') return open(carried)
  const failure = await answerNotice(carried, action)
  if (!failure) return
  const { title, body } = failure
  const { session } = carried
  const options = {
    body,
    tag,
    silent: true,
    icon: '/icon-192.png',
    badge: '/badge-96.png',
    data: { session },
  }
  await self.registration.showNotification(title, options)
}

/** Uses an open window if there is one. */
async function open({ session }: Carried): Promise<void> {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const there = windows.find(({ visibilityState }) => visibilityState === 'visible') ?? windows[0]
  const url = session ? routes.session(session) : routes.sessions
  if (!there) return void (await self.clients.openWindow(url))
  there.postMessage({ type: 'open', ...session }, [])
  await there.focus().catch(() => there)
}

/** A browser may change its push subscription at any time. */
async function subscribeAgain(before?: PushSubscription, after?: PushSubscription): Promise<void> {
  try {
    const key = before?.options.applicationServerKey ?? (await publicKey())
    const options = { userVisibleOnly: true, applicationServerKey: key }
    const subscription = after ?? (await self.registration.pushManager.subscribe(options))
    await fetch('/api/push/subscribe', {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ subscription: subscription.toJSON() }),
    })
  } catch {
    // The settings page shows the missing subscription and creates a new one.
  }
}

async function publicKey(): Promise<string> {
  const response = await fetch('/api/push', { credentials: 'same-origin' })
  return ((await response.json()) as CallResult<'get', '/api/push'>).publicKey
}

/** What to show when an answer from a notification had no effect. */
interface Failure {
  readonly title: string
  readonly body: string
}

/** Answers exactly the request that was shown. Resolves with a failure, or with undefined. */
async function answerNotice(
  { session, ask, actions }: Carried,
  action: string,
): Promise<Failure | undefined> {
  const chosen = actions?.find((each) => each.action === action)
  const failed = { title: words.notAnswered, body: words.notAnsweredHint }
  if (!chosen || !session || !ask) return failed
  try {
    const response = await fetch('/api/asks/answer', {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...session, ask: ask.id, digest: ask.digest, option: chosen.option }),
    })
    const json: unknown = await response.json()
    const { won, effect } = json as Partial<CallResult<'post', '/api/asks/answer'>>
    if (response.status === 404 || effect === 'gone')
      return { title: words.requestClosed, body: words.requestClosedHint }
    if (readError(json).code === 'forbidden') return { title: words.notAllowed, body: words.notAllowedHint }
    if (!response.ok) return failed
    return won === true ? undefined : { title: words.answeredElsewhere, body: words.answeredElsewhereHint }
  } catch {
    return failed
  }
}
