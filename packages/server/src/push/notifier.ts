import type { SessionKey } from '@remora/ledger'
import type { Ask, LiveInfo } from '@remora/protocol'
import type { Notice, Preferences } from '@remora/protocol/api'
import type { Context } from '../core/context.ts'
import type { Collection } from '../core/store.ts'
import {
  createAskNotice,
  createAskTag,
  createBadgeNotice,
  createStateNotice,
  createStateTag,
} from './notice.ts'
import { type SendOptions, type Subscription, type VapidKeys, loadVapidKeys, send } from './send.ts'
import { Subscribers } from './subscribers.ts'

/** Whether a client shows a session: the part of `ws/` that push needs. */
export interface Views {
  isViewed(key: SessionKey): boolean
  /** Notifies of every session that a client opens. */
  on?(listener: (key: SessionKey) => void): () => void
}

export interface NotifierOptions {
  /** How long a session must be idle before devices are notified, since it is also idle between two steps. */
  readonly settleMs?: number
  /** How long changes of the badge alone are batched. */
  readonly gatherMs?: number
  readonly sending?: Partial<Omit<SendOptions, 'vapid' | 'signal'>>
}

const hour = 3_600
/** While push services are down, further notices are dropped. */
const maxSending = 200

/**
 * Notifies devices when a session finishes, asks or fails, unless a client shows it.
 *
 * @example const push = await Notifier.start(context, hub.presence)
 */
export class Notifier {
  readonly subscribers: Subscribers
  readonly #context: Context
  readonly #views: Views
  readonly #options: NotifierOptions
  readonly #vapid: VapidKeys
  readonly #unseen: Collection<SessionKey & { readonly at: number }>
  /** Asks that were announced, so that a restarted server does not announce them again. */
  readonly #announcedAsks: Collection<string>
  readonly #states = new Map<string, Pick<LiveInfo, 'state' | 'since'>>()
  readonly #settleTimers = new Map<string, NodeJS.Timeout>()
  readonly #lastTexts = new Map<string, string>()
  #settled: string[] = []
  #gathering: NodeJS.Timeout | undefined
  #sentBadge = 0
  readonly #sending = new Set<Promise<unknown>>()
  #mayAnswer: (device: string) => boolean = () => true
  /** Serializes the work, so that the badge sent last is the current one. */
  #work: Promise<unknown> = Promise.resolve()

  private constructor(context: Context, views: Views, options: NotifierOptions, vapid: VapidKeys) {
    this.#context = context
    this.#views = views
    this.#options = options
    this.#vapid = vapid
    this.subscribers = new Subscribers(context.store, {
      allowLoopback: options.sending?.allowLoopback ?? false,
    })
    this.#unseen = context.store.collection('unseen')
    this.#announcedAsks = context.store.collection('told-asks')
  }

  static async start(context: Context, views: Views, options: NotifierOptions = {}): Promise<Notifier> {
    const notifier = new Notifier(context, views, options, await loadVapidKeys(context.remoraHome))
    notifier.#sentBadge = await notifier.countBadge()
    notifier.#listen()
    return notifier
  }

  get publicKey(): string {
    return this.#vapid.publicKey
  }

  /** Sets which devices may answer: other devices get notices without buttons. */
  setAnswerCheck(mayAnswer: (device: string) => boolean): void {
    this.#mayAnswer = mayAnswer
  }

  /** Counts the open asks and the finished sessions that were not viewed since. */
  async countBadge(): Promise<number> {
    const asks = (await this.#context.approvals.pending()).filter((key) => !this.#isReview(key))
    return asks.length + (await this.#unseen.all()).size
  }

  /** Marks a session as viewed. */
  async markSeen({ agent, session }: SessionKey): Promise<void> {
    const id = `${agent}/${session}`
    if (!(await this.#unseen.get(id))) return
    await this.#unseen.remove(id)
    this.#settle(createStateTag({ agent, session }))
  }

  /** Sends a test notice to one device. */
  async sendTest(device: string): Promise<boolean> {
    const subscriber = await this.subscribers.get(device)
    if (!subscriber) return false
    const notice: Notice = {
      version: 1,
      type: 'done',
      badge: await this.countBadge(),
      title: 'Remora',
      body: 'Notifications work.',
      tag: 'test',
    }
    return (await this.#sendTo(subscriber, notice, 60)) === 'sent'
  }

  /** Resolves when every notice so far was sent. */
  async idle(): Promise<void> {
    await this.#work
    await Promise.all(this.#sending)
  }

  #listen(): void {
    const { live, approvals, signal } = this.#context
    for (const { id, state, since, restoring } of live.list())
      if (!restoring) this.#states.set(id, { state, since })
    const stops = [
      live.on((change) => {
        if (change.type === 'live') this.#onStateChange(change.live)
        // The last text is the body of the notice that the session has finished.
        else if (change.type === 'frame' && change.frame.text)
          this.#lastTexts.set(change.frame.live, change.frame.text.slice(-2_000))
      }),
      approvals.on((change) => {
        if (change.type === 'ask') this.#enqueue(() => this.#onAsk(change, change.ask))
        else this.#enqueue(() => this.#onAnswer(createAskTag(change, change.answer.ask)))
      }),
      this.#views.on?.((key) => this.#enqueue(() => this.markSeen(key))),
    ]
    signal.addEventListener(
      'abort',
      () => {
        for (const stop of stops) stop?.()
        for (const timer of this.#settleTimers.values()) clearTimeout(timer)
        clearTimeout(this.#gathering)
      },
      { once: true },
    )
  }

  #onStateChange(info: LiveInfo): void {
    const { id, state, since } = info
    const before = this.#states.get(id)
    if (state === before?.state && since === before.since) return
    this.#states.set(id, { state, since })
    clearTimeout(this.#settleTimers.get(id))
    this.#settleTimers.delete(id)
    if (state === 'ended') {
      this.#states.delete(id)
      this.#lastTexts.delete(id)
    }
    const kind = getNoticeKind(before, info)
    if (kind === undefined || info.reviews) return
    const timer = setTimeout(() => {
      this.#settleTimers.delete(id)
      const now = this.#context.live.list().find((each) => each.id === id)
      // Skip a session that continued, or that has another prompt in its queue.
      if (now && now.state === state && now.queued === 0) this.#enqueue(() => this.#onSettled(kind, now))
    }, this.#options.settleMs ?? 1_500)
    timer.unref()
    this.#settleTimers.set(id, timer)
  }

  async #onSettled(kind: 'done' | 'error', info: LiveInfo): Promise<void> {
    if (this.#views.isViewed(info)) return
    const { agent, session } = info
    await this.#unseen.put(`${agent}/${session}`, { agent, session, at: Date.now() })
    const badge = await this.countBadge()
    await this.#notify(kind, createStateNotice(kind, info, this.#lastTexts.get(info.id), badge), 4 * hour)
  }

  async #onAsk(key: SessionKey, ask: Ask): Promise<void> {
    if (this.#isReview(key) || this.#views.isViewed(key)) return
    const found = await this.#context.ledger.asks.find(key, ask.id)
    // A policy or another client may have answered already.
    if (!found || found.answer) return
    // The clock of another machine may differ, so its expiry times are not compared.
    const isRemote = this.#context.live.of(key)?.node !== undefined
    const left =
      ask.expiresAt === undefined || isRemote ? hour : Math.ceil((ask.expiresAt - Date.now()) / 1_000)
    if (left <= 0 || (await this.#announcedAsks.get(createAskTag(key, ask.id))) === ask.digest) return
    await this.#announcedAsks.put(createAskTag(key, ask.id), ask.digest)
    const notice = createAskNotice(key, ask, this.#context.live.of(key), await this.countBadge())
    await this.#notify('ask', notice, Math.min(left, hour))
  }

  async #onAnswer(tag: string): Promise<void> {
    if ((await this.#announcedAsks.get(tag)) !== undefined) await this.#announcedAsks.remove(tag)
    this.#settle(tag)
  }

  /** Updates the badge soon, and removes the notice with this tag from devices. */
  #settle(tag: string): void {
    this.#settled.push(tag)
    if (this.#gathering) return
    this.#gathering = setTimeout(() => {
      this.#gathering = undefined
      const settled = this.#settled
      this.#settled = []
      this.#enqueue(async () => {
        const badge = await this.countBadge()
        if (badge !== this.#sentBadge) await this.#notify('badge', createBadgeNotice(badge, settled), hour)
      })
    }, this.#options.gatherMs ?? 1_000)
    this.#gathering.unref()
  }

  async #notify(kind: keyof Preferences, notice: Notice, ttl: number): Promise<void> {
    this.#sentBadge = notice.badge
    const subscribers = (await this.subscribers.all()).filter(({ preferences }) => preferences[kind])
    // Not awaited, so that a slow push service does not delay the next notice.
    for (const subscriber of subscribers) {
      if (this.#sending.size >= maxSending) return
      const sending = this.#sendTo(subscriber, notice, ttl).catch(() => {})
      this.#sending.add(sending)
      void sending.finally(() => this.#sending.delete(sending))
    }
  }

  async #sendTo(
    subscriber: Subscription & { readonly device: string },
    notice: Notice,
    ttl: number,
  ): Promise<string> {
    const { signal, log } = this.#context
    const { actions: _, ...withoutActions } = notice
    const message = {
      payload: JSON.stringify(this.#mayAnswer(subscriber.device) ? notice : withoutActions),
      ttl,
      urgency:
        notice.type === 'ask'
          ? ('high' as const)
          : notice.type === 'badge'
            ? ('low' as const)
            : ('normal' as const),
      topic: notice.tag ?? 'badge',
    }
    const sent = await send(subscriber, message, { ...this.#options.sending, vapid: this.#vapid, signal })
    const current = await this.subscribers.get(subscriber.device)
    if (!current || current.endpoint !== subscriber.endpoint) return sent.state
    if (sent.state === 'sent') await this.subscribers.resetFailures(current)
    else if (sent.state === 'gone') await this.subscribers.removeExpired(current)
    else {
      const dropped = await this.subscribers.countFailure(current)
      log('warn', 'Cannot send a notification', { device: subscriber.device, why: sent.why, dropped })
    }
    return sent.state
  }

  #isReview(key: SessionKey): boolean {
    return this.#context.live.of(key)?.reviews !== undefined
  }

  #enqueue(work: () => Promise<void>): void {
    const { log, signal } = this.#context
    this.#work = this.#work.then(work).catch((error: unknown) => {
      if (!signal.aborted) log('warn', 'Notification failed', { error: String(error) })
    })
  }
}

function getNoticeKind(
  before: Pick<LiveInfo, 'state' | 'since'> | undefined,
  now: LiveInfo,
): 'done' | 'error' | undefined {
  // The state at the start of the server is not news.
  if (!before) return undefined
  if (now.state === 'error') return 'error'
  if (now.state !== 'idle') return undefined
  // A short turn shows only in the later time of the same state.
  return ['working', 'asking', 'idle'].includes(before.state) ? 'done' : undefined
}
