import { request as httpRequest } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkEndpoint, publicLookup } from './endpoint.ts'
import type { VapidKeys } from './vapid.ts'

export interface Subscription {
  readonly endpoint: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
}

export interface Parcel {
  readonly payload: string
  /** Seconds for which the push service keeps it. */
  readonly ttl: number
  readonly urgency: 'very-low' | 'low' | 'normal' | 'high'
  /** A later one of the same topic replaces it, as long as the device is away. */
  readonly topic?: string
}

export interface SendOptions {
  readonly vapid: VapidKeys
  readonly signal: AbortSignal
  /** Whom a push service may write to, as mailto: or https:. */
  readonly subject?: string
  /** Waits between attempts, in milliseconds. */
  readonly patience?: readonly number[]
  readonly timeoutMs?: number
  /** For tests: sends to http and loopback too. */
  readonly allowLoopback?: boolean
}

/** What became of it: `gone` means that the device does not want any more. */
export type Sent =
  | { readonly state: 'sent' }
  | { readonly state: 'gone' }
  | { readonly state: 'failed'; readonly why: string }

/** One service refuses addresses at localhost. */
const subject = 'mailto:remora@example.com'
const patience = [1_000, 5_000, 30_000]
const timeoutMs = 15_000
const longestWaitMs = 60_000

/**
 * Hands a message to the push service of a device, encrypted for that device alone.
 *
 * @example const { state } = await send(subscription, { payload, ttl: 600, urgency: 'high' }, { vapid, signal })
 */
export async function send(to: Subscription, parcel: Parcel, options: SendOptions): Promise<Sent> {
  const waits = options.patience ?? patience
  try {
    if (!options.allowLoopback) checkEndpoint(to.endpoint)
  } catch (error) {
    return { state: 'failed', why: (error as Error).message }
  }
  for (let attempt = 0; ; attempt++) {
    const { status, why, retryAfterMs } = await attemptOnce(to, parcel, options)
    if (status !== undefined && status >= 200 && status < 300) return { state: 'sent' }
    if (status === 404 || status === 410) return { state: 'gone' }
    const passing = status === undefined || status === 429 || status >= 500
    const wait = waits[attempt]
    if (!passing || wait === undefined || options.signal.aborted) return { state: 'failed', why }
    await sleep(Math.min(Math.max(wait, retryAfterMs), longestWaitMs), undefined, {
      signal: options.signal,
      ref: false,
    }).catch(() => {})
  }
}

interface Attempt {
  readonly status?: number
  readonly why: string
  readonly retryAfterMs: number
}

// A name that changes between two requests must be looked up again, so connections are not kept.
const publicAgent = new Agent({ lookup: publicLookup, keepAlive: false })

async function attemptOnce(to: Subscription, parcel: Parcel, options: SendOptions): Promise<Attempt> {
  try {
    const url = new URL(to.endpoint)
    // Loaded here, since most servers start and end without a message to anybody.
    const { default: webpush } = await import('web-push')
    // Encrypted anew each time: the same bytes must not be seen twice.
    const { method, headers, body } = webpush.generateRequestDetails(
      { endpoint: to.endpoint, keys: to.keys },
      parcel.payload,
      {
        TTL: parcel.ttl,
        urgency: parcel.urgency,
        ...(parcel.topic ? { topic: parcel.topic } : {}),
        contentEncoding: 'aes128gcm',
        vapidDetails: { subject: options.subject ?? subject, ...options.vapid },
      },
    )
    const start = url.protocol === 'http:' ? httpRequest : httpsRequest
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs ?? timeoutMs)])
    return await new Promise<Attempt>((resolve, reject) => {
      const sending = start(
        url,
        { method, headers, signal, ...(options.allowLoopback ? {} : { agent: publicAgent }) },
        (answer) => {
          // Nobody reads what it says, and it may say a lot. A redirect is not followed.
          answer.destroy()
          const status = answer.statusCode ?? 0
          const after = Number(answer.headers['retry-after'] ?? 0) * 1_000
          resolve({ status, why: `The push service returned ${status}`, retryAfterMs: after > 0 ? after : 0 })
        },
      )
      sending.on('error', reject)
      sending.end(body)
    })
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error), retryAfterMs: 0 }
  }
}
