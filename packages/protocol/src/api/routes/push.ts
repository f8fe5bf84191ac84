import { z } from 'zod'
import { Preferences } from '../notice.ts'
import { SessionParams, defineRoutes } from '../route.ts'

const base64url = (min: number, max: number) =>
  z
    .string()
    .min(min)
    .max(max)
    .regex(/^[\w-]+={0,2}$/)

/** A subscription as the browser's push manager returns it. */
export const PushSubscription = z.object({
  endpoint: z.string().max(2_000),
  expirationTime: z.number().nullish(),
  keys: z.object({ p256dh: base64url(80, 100), auth: base64url(16, 40) }),
})

const PreferencesResult = z.object({ preferences: Preferences })

/** Routes of push notifications. */
export const pushApi = defineRoutes({
  getPush: {
    method: 'get',
    path: '/api/push',
    summary: 'Get the push key, the preferences of this device and its badge count',
    access: 'viewer',
    response: z.object({
      publicKey: z.string(),
      subscribed: z.boolean(),
      preferences: Preferences.optional(),
      badge: z.number(),
    }),
  },
  subscribeToPush: {
    method: 'post',
    path: '/api/push/subscribe',
    summary: 'Subscribe this device to push notifications',
    access: 'viewer',
    body: z.strictObject({ subscription: PushSubscription, preferences: Preferences.optional() }),
    response: PreferencesResult,
  },
  unsubscribeFromPush: {
    method: 'post',
    path: '/api/push/unsubscribe',
    summary: 'Unsubscribe this device from push notifications',
    access: 'viewer',
  },
  setPreferences: {
    method: 'patch',
    path: '/api/push/preferences',
    summary: 'Choose which notifications this device receives',
    access: 'viewer',
    body: z.strictObject({
      ask: z.boolean().optional(),
      done: z.boolean().optional(),
      error: z.boolean().optional(),
      badge: z.boolean().optional(),
    }),
    response: PreferencesResult,
  },
  markSeen: {
    method: 'post',
    path: '/api/push/seen',
    summary: 'Mark a session as seen, so that the badge no longer counts it',
    access: 'member',
    body: SessionParams,
    response: z.object({ badge: z.number() }),
  },
  testPush: {
    method: 'post',
    path: '/api/push/test',
    summary: 'Send a test notification to this device',
    access: 'viewer',
    response: z.object({ sent: z.boolean() }),
  },
})
