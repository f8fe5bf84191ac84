import { Preferences } from '@remora/protocol/api'
import { Hono } from 'hono'
import { z } from 'zod'
import { described, serve } from '../changes/serve.ts'
import type { Context } from '../context.ts'
import { SessionParams } from '../http/shapes.ts'
import { HttpError } from '../security/http-error.ts'
import type { Who } from '../security/who.ts'
import type { Notifier } from './notifier.ts'
import { PushSubscription } from './subscribers.ts'

const Wishes = z.strictObject({
  ask: z.boolean().optional(),
  done: z.boolean().optional(),
  error: z.boolean().optional(),
  badge: z.boolean().optional(),
})

export const pushApi = {
  key: described(
    'get',
    'viewer',
    '/api/push',
    'The key to subscribe with, what this device gets, and the number on its icon',
    {
      response: z.object({
        publicKey: z.string(),
        subscribed: z.boolean(),
        preferences: Preferences.optional(),
        badge: z.number(),
      }),
    },
  ),
  subscribe: described(
    'post',
    'viewer',
    '/api/push/subscribe',
    'Sends notifications to this device, by the subscription of its browser',
    {
      body: z.strictObject({ subscription: PushSubscription, preferences: Preferences.optional() }),
      response: z.object({ preferences: Preferences }),
    },
  ),
  unsubscribe: described(
    'post',
    'viewer',
    '/api/push/unsubscribe',
    'Sends no more notifications to this device',
    {},
  ),
  prefer: described('patch', 'viewer', '/api/push/preferences', 'What this device wants to hear of', {
    body: Wishes,
    response: z.object({ preferences: Preferences }),
  }),
  seen: described(
    'post',
    'member',
    '/api/push/seen',
    'Somebody has looked at a session: it counts no longer',
    {
      body: SessionParams,
      response: z.object({ badge: z.number() }),
    },
  ),
  test: described(
    'post',
    'viewer',
    '/api/push/test',
    'Sends a notification to this device, to see whether it arrives',
    {
      response: z.object({ sent: z.boolean() }),
    },
  ),
}

/**
 * Notifications for the device that asks.
 *
 * @example const mounts = [pushRoutes(context, await Notifier.start(context, hub.presence))]
 */
export function pushRoutes(_: Context, notifier: Notifier): Hono {
  const app = new Hono()
  const { subscribers } = notifier

  serve(app, pushApi.key, async ({ who }) => {
    const subscriber = await subscribers.of(deviceOf(who))
    return {
      publicKey: notifier.publicKey,
      subscribed: subscriber !== undefined,
      ...(subscriber ? { preferences: subscriber.preferences } : {}),
      badge: await notifier.badge(),
    }
  })

  serve(app, pushApi.subscribe, async ({ who, body }) => {
    const { preferences } = await subscribers.add(deviceOf(who), body.subscription, body.preferences)
    return { preferences }
  })

  serve(app, pushApi.unsubscribe, ({ who }) => subscribers.remove(deviceOf(who)))

  serve(app, pushApi.prefer, async ({ who, body }) => {
    const wishes = Object.fromEntries(Object.entries(body).filter(([, wish]) => wish !== undefined))
    return { preferences: await subscribers.prefer(deviceOf(who), wishes) }
  })

  serve(app, pushApi.seen, async ({ body }) => {
    await notifier.seen(body)
    return { badge: await notifier.badge() }
  })

  serve(app, pushApi.test, async ({ who }) => ({ sent: await notifier.try(deviceOf(who)) }))

  return app
}

function deviceOf(who: Who | undefined): string {
  if (!who) throw new HttpError(401, 'auth', 'Pair this device first')
  return who.client
}
