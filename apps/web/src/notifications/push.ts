import type { Preferences } from '@remora/protocol/api'
import { api } from '../wire/api.ts'
import { platform, revokesOnSilentPush } from './platform.ts'

/** Whether notifications are possible on this device, and if not, why. */
export type Possibility = 'possible' | 'blocked' | 'not secure' | 'install first' | 'no support'

export function possibility(): Possibility {
  if (!isSecureContext) return 'not secure'
  const { kind, isInstalled } = platform()
  const canPush = 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis
  if (!canPush) return kind === 'apple' && !isInstalled ? 'install first' : 'no support'
  return Notification.permission === 'denied' ? 'blocked' : 'possible'
}

/** The current subscription. Does not wait for a worker that never starts. */
export async function ownSubscription(): Promise<PushSubscription | undefined> {
  const registration = await navigator.serviceWorker?.getRegistration()
  return (await registration?.pushManager?.getSubscription()) ?? undefined
}

/**
 * Asks for permission and subscribes. Browsers require a tap. Returns false if the user denies, and throws if
 * subscribing fails.
 */
export async function subscribe(publicKey: string): Promise<Preferences | false> {
  if ((await Notification.requestPermission()) !== 'granted') return false
  const registration = await navigator.serviceWorker.getRegistration()
  if (!registration) throw new Error('No service worker')
  const options = { userVisibleOnly: true, applicationServerKey: publicKey }
  const subscription = await registration.pushManager.subscribe(options).catch(async (error: unknown) => {
    // A subscription with another server's key must be removed first.
    const old = await registration.pushManager.getSubscription()
    if (!old) throw error
    await old.unsubscribe()
    return registration.pushManager.subscribe(options)
  })
  const first = await api.get('/api/push')
  const { endpoint = '', expirationTime, keys = {} } = subscription.toJSON()
  const { p256dh = '', auth = '' } = keys
  const { preferences } = await api.post('/api/push/subscribe', {
    body: {
      subscription: { endpoint, expirationTime, keys: { p256dh, auth } },
      ...(first.preferences
        ? {}
        : {
            preferences: {
              ask: true,
              done: true,
              error: true,
              badge: !revokesOnSilentPush(navigator.userAgent),
            },
          }),
    },
  })
  return preferences
}

/** Removes the subscription here and on the server, even if one of them fails. */
export async function unsubscribe(): Promise<void> {
  const subscription = await ownSubscription().catch(() => undefined)
  await subscription?.unsubscribe().catch(() => false)
  await api.post('/api/push/unsubscribe')
}
