import { pushApi } from '@remora/protocol/api'
import type { Context } from '../../core/context.ts'
import { type Route, implement } from '../route.ts'
import { HttpError } from '../../security/http-error.ts'
import type { Who } from '../../security/who.ts'
import type { Notifier } from '../../push/notifier.ts'

/** Push notifications for the device that sends the request. */
export function createPushRoutes(_: Context, notifier: Notifier): Route[] {
  const { subscribers } = notifier
  return implement(pushApi, {
    async getPush({ who }) {
      const subscriber = await subscribers.get(getDevice(who))
      return {
        publicKey: notifier.publicKey,
        subscribed: subscriber !== undefined,
        ...(subscriber ? { preferences: subscriber.preferences } : {}),
        badge: await notifier.countBadge(),
      }
    },
    async subscribeToPush({ who, body }) {
      const { preferences } = await subscribers.add(getDevice(who), body.subscription, body.preferences)
      return { preferences }
    },
    unsubscribeFromPush: ({ who }) => subscribers.remove(getDevice(who)),
    async setPreferences({ who, body }) {
      const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
      return { preferences: await subscribers.setPreferences(getDevice(who), given) }
    },
    async markSeen({ body }) {
      await notifier.markSeen(body)
      return { badge: await notifier.countBadge() }
    },
    testPush: async ({ who }) => ({ sent: await notifier.sendTest(getDevice(who)) }),
  })
}

function getDevice(who: Who | undefined): string {
  if (!who) throw new HttpError(401, 'auth', 'Pair this device first')
  return who.client
}
