import { request as httpRequest } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkEndpoint, publicLookup } from './endpoint.ts'
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { z } from 'zod'

export interface Subscription {
  readonly endpoint: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
}

export interface PushMessage {
  readonly payload: string
  /** How many seconds the push service keeps the message for an offline device. */
  readonly ttl: number
  readonly urgency: 'very-low' | 'low' | 'normal' | 'high'
  /** A later message of the same topic replaces it while the device is offline. */
  readonly topic?: string
}

export interface SendOptions {
  readonly vapid: VapidKeys
  readonly signal: AbortSignal
  /** The contact for push services, as mailto: or https:. */
  readonly subject?: string
  /** Delays between attempts, in milliseconds. */
  readonly retryDelaysMs?: readonly number[]
  readonly timeoutMs?: number
  /** Allows http and loopback, for tests. */
  readonly allowLoopback?: boolean
}

/** The result of a delivery: `gone` means that the subscription has ended. */
export type SendResult =
  | { readonly state: 'sent' }
  | { readonly state: 'gone' }
  | { readonly state: 'failed'; readonly why: string }

/** Some push services reject addresses at localhost. */
const defaultSubject = 'mailto:remora@example.com'
const defaultRetryDelaysMs = [1_000, 5_000, 30_000]
const defaultTimeoutMs = 15_000
const maxDelayMs = 60_000

/**
 * Sends a message, encrypted for one device, to the push service of that device.
 *
 * @example const { state } = await send(subscription, { payload, ttl: 600, urgency: 'high' }, { vapid, signal })
 */
export async function send(
  to: Subscription,
  message: PushMessage,
  options: SendOptions,
): Promise<SendResult> {
  const delays = options.retryDelaysMs ?? defaultRetryDelaysMs
  try {
    if (!options.allowLoopback) checkEndpoint(to.endpoint)
  } catch (error) {
    return { state: 'failed', why: (error as Error).message }
  }
  for (let attempt = 0; ; attempt++) {
    const { status, why, retryAfterMs } = await attemptOnce(to, message, options)
    if (status !== undefined && status >= 200 && status < 300) return { state: 'sent' }
    if (status === 404 || status === 410) return { state: 'gone' }
    const isTransient = status === undefined || status === 429 || status >= 500
    const delay = delays[attempt]
    if (!isTransient || delay === undefined || options.signal.aborted) return { state: 'failed', why }
    await sleep(Math.min(Math.max(delay, retryAfterMs), maxDelayMs), undefined, {
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

// Connections are not reused, so that each request resolves and checks the host again.
const publicAgent = new Agent({ lookup: publicLookup, keepAlive: false })

async function attemptOnce(to: Subscription, message: PushMessage, options: SendOptions): Promise<Attempt> {
  try {
    const url = new URL(to.endpoint)
    // Loaded on demand, because most servers never send a notification.
    const { default: webpush } = await import('web-push')
    // Each attempt is encrypted with a fresh salt.
    const { method, headers, body } = webpush.generateRequestDetails(
      { endpoint: to.endpoint, keys: to.keys },
      message.payload,
      {
        TTL: message.ttl,
        urgency: message.urgency,
        ...(message.topic ? { topic: message.topic } : {}),
        contentEncoding: 'aes128gcm',
        vapidDetails: { subject: options.subject ?? defaultSubject, ...options.vapid },
      },
    )
    const start = url.protocol === 'http:' ? httpRequest : httpsRequest
    const signal = AbortSignal.any([
      options.signal,
      AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs),
    ])
    return await new Promise<Attempt>((resolve, reject) => {
      const request = start(
        url,
        { method, headers, signal, ...(options.allowLoopback ? {} : { agent: publicAgent }) },
        (response) => {
          // The body is not needed and may be large. Redirects are not followed.
          response.destroy()
          const status = response.statusCode ?? 0
          const after = Number(response.headers['retry-after'] ?? 0) * 1_000
          resolve({ status, why: `The push service returned ${status}`, retryAfterMs: after > 0 ? after : 0 })
        },
      )
      request.on('error', reject)
      request.end(body)
    })
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error), retryAfterMs: 0 }
  }
}

const Keys = z.object({ publicKey: z.string().min(80), privateKey: z.string().min(40) })
export type VapidKeys = z.infer<typeof Keys>

/**
 * Loads the keys that identify this server to push services, or creates them readable by the user only.
 *
 * @example const { publicKey } = await loadVapidKeys(remoraHome)
 */
export async function loadVapidKeys(remoraHome: string): Promise<VapidKeys> {
  const file = join(remoraHome, 'vapid.json')
  const found = await readKeys(file)
  if (found) return found
  await mkdir(remoraHome, { recursive: true, mode: 0o700 })
  const { default: webpush } = await import('web-push')
  const draft = `${file}.${process.pid}.${Date.now()}`
  await writeFile(draft, `${JSON.stringify(webpush.generateVAPIDKeys())}\n`, { mode: 0o600, flag: 'wx' })
  try {
    // Fails if another process was faster. Its keys win, since devices may use them already.
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
  return (await readKeys(file))!
}

async function readKeys(file: string): Promise<VapidKeys | undefined> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  await chmod(file, 0o600)
  try {
    return Keys.parse(JSON.parse(text))
  } catch (cause) {
    throw new RemoraError('config', `${file} is corrupt`, {
      hint: 'Delete it to create new keys. Every device must then turn notifications on again.',
      cause,
    })
  }
}
