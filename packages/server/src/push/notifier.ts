import type { SessionKey } from '@remora/ledger'
import type { Ask, LiveInfo } from '@remora/protocol'
import type { Notice, Preferences } from '@remora/protocol/api'
import type { Context } from '../core/context.ts'
import type { Collection } from '../core/store.ts'
import { askNotice, badgeNotice, stateNotice, tagOfAsk, tagOfState } from './notice.ts'
import { type SendOptions, type Subscription, send } from './send.ts'
import { Subscribers } from './subscribers.ts'
import { type VapidKeys, loadVapidKeys } from './vapid.ts'

/** Who looks at which session now: the part of `ws/` that push needs. */
export interface Looking {
  isSeen(key: SessionKey): boolean
  /** Tells of every session that somebody begins to look at. */
  on?(listener: (key: SessionKey) => void): () => void
}

export interface NotifierOptions {
  /** How long a session must have come to rest before that is told: between two steps it rests too. */
  readonly settleMs?: number
  /** How long changes of the number alone are gathered. */
  readonly gatherMs?: number
  readonly sending?: Partial<Omit<SendOptions, 'vapid' | 'signal'>>
}

const hour = 3_600
/** While push services are down, what is more than this is not tried. */
const mostSending = 200

/**
 * Tells devices that a session is done, asks or fails, unless somebody looks at it.
 *
 * @example const push = await Notifier.start(context, hub.presence)
 */
export class Notifier {
  readonly subscribers: Subscribers
  readonly #context: Context
  readonly #looking: Looking
  readonly #options: NotifierOptions
  readonly #vapid: VapidKeys
  readonly #unseen: Collection<SessionKey & { readonly at: number }>
  /** Asks of which was told, so that a server that starts anew does not tell of them again. */
  readonly #told: Collection<string>
  readonly #states = new Map<string, Pick<LiveInfo, 'state' | 'since'>>()
  readonly #resting = new Map<string, NodeJS.Timeout>()
  readonly #words = new Map<string, string>()
  #settled: string[] = []
  #gathering: NodeJS.Timeout | undefined
  #badgeTold = 0
  readonly #sending = new Set<Promise<unknown>>()
  #mayAnswer: (device: string) => boolean = () => true
  /** One after the other, so that the last number that is sent is the right one. */
  #work: Promise<unknown> = Promise.resolve()

  private constructor(context: Context, looking: Looking, options: NotifierOptions, vapid: VapidKeys) {
    this.#context = context
    this.#looking = looking
    this.#options = options
    this.#vapid = vapid
    this.subscribers = new Subscribers(context.store, {
      allowLoopback: options.sending?.allowLoopback ?? false,
    })
    this.#unseen = context.store.collection('unseen')
    this.#told = context.store.collection('told-asks')
  }

  static async start(context: Context, looking: Looking, options: NotifierOptions = {}): Promise<Notifier> {
    const notifier = new Notifier(context, looking, options, await loadVapidKeys(context.remoraHome))
    notifier.#badgeTold = await notifier.badge()
    notifier.#listen()
    return notifier
  }

  get publicKey(): string {
    return this.#vapid.publicKey
  }

  /** Who tells which devices may answer: to others no answers are offered. */
  heed(mayAnswer: (device: string) => boolean): void {
    this.#mayAnswer = mayAnswer
  }

  /** How many asks wait, and how many sessions are done that nobody has looked at since. */
  async badge(): Promise<number> {
    const asks = (await this.#context.approvals.pending()).filter((key) => !this.#isReview(key))
    return asks.length + (await this.#unseen.all()).size
  }

  /** Somebody has looked at a session. */
  async seen({ agent, session }: SessionKey): Promise<void> {
    const id = `${agent}/${session}`
    if (!(await this.#unseen.get(id))) return
    await this.#unseen.remove(id)
    this.#over(tagOfState({ agent, session }))
  }

  /** A notice to one device, to see whether they arrive. */
  async try(device: string): Promise<boolean> {
    const subscriber = await this.subscribers.of(device)
    if (!subscriber) return false
    const notice: Notice = {
      version: 1,
      type: 'done',
      badge: await this.badge(),
      title: 'Remora',
      body: 'Notifications work.',
      tag: 'test',
    }
    return (await this.#sendTo(subscriber, notice, 60)) === 'sent'
  }

  /** Settles when everything that was to be told so far is on its way. */
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
        if (change.type === 'live') this.#moved(change.live)
        // What was said last is what a person wants to know when it is done.
        else if (change.type === 'frame' && change.frame.text)
          this.#words.set(change.frame.live, change.frame.text.slice(-2_000))
      }),
      approvals.on((change) => {
        if (change.type === 'ask') this.#do(() => this.#asked(change, change.ask))
        else this.#do(() => this.#answered(tagOfAsk(change, change.answer.ask)))
      }),
      this.#looking.on?.((key) => this.#do(() => this.seen(key))),
    ]
    signal.addEventListener(
      'abort',
      () => {
        for (const stop of stops) stop?.()
        for (const timer of this.#resting.values()) clearTimeout(timer)
        clearTimeout(this.#gathering)
      },
      { once: true },
    )
  }

  #moved(info: LiveInfo): void {
    const { id, state, since } = info
    const before = this.#states.get(id)
    if (state === before?.state && since === before.since) return
    this.#states.set(id, { state, since })
    clearTimeout(this.#resting.get(id))
    this.#resting.delete(id)
    if (state === 'ended') {
      this.#states.delete(id)
      this.#words.delete(id)
    }
    const kind = getNoticeKind(before, info)
    if (kind === undefined || info.reviews) return
    const timer = setTimeout(() => {
      this.#resting.delete(id)
      const now = this.#context.live.list().find((each) => each.id === id)
      // It went on meanwhile, or has another prompt waiting.
      if (now && now.state === state && now.queued === 0) this.#do(() => this.#rested(kind, now))
    }, this.#options.settleMs ?? 1_500)
    timer.unref()
    this.#resting.set(id, timer)
  }

  async #rested(kind: 'done' | 'error', info: LiveInfo): Promise<void> {
    if (this.#looking.isSeen(info)) return
    const { agent, session } = info
    await this.#unseen.put(`${agent}/${session}`, { agent, session, at: Date.now() })
    const badge = await this.badge()
    await this.#tell(kind, stateNotice(kind, info, this.#words.get(info.id), badge), 4 * hour)
  }

  async #asked(key: SessionKey, ask: Ask): Promise<void> {
    if (this.#isReview(key) || this.#looking.isSeen(key)) return
    const found = await this.#context.ledger.asks.find(key, ask.id)
    // A policy, or somebody quick, has answered it already.
    if (!found || found.answer) return
    // By the clock of the machine that asks, which may not be ours.
    const isFar = this.#context.live.of(key)?.node !== undefined
    const left = ask.expiresAt === undefined || isFar ? hour : Math.ceil((ask.expiresAt - Date.now()) / 1_000)
    if (left <= 0 || (await this.#told.get(tagOfAsk(key, ask.id))) === ask.digest) return
    await this.#told.put(tagOfAsk(key, ask.id), ask.digest)
    const notice = askNotice(key, ask, this.#context.live.of(key), await this.badge())
    await this.#tell('ask', notice, Math.min(left, hour))
  }

  async #answered(tag: string): Promise<void> {
    if ((await this.#told.get(tag)) !== undefined) await this.#told.remove(tag)
    this.#over(tag)
  }

  /** Something is over: the number is another, and a notice may still stand there. */
  #over(tag: string): void {
    this.#settled.push(tag)
    if (this.#gathering) return
    this.#gathering = setTimeout(() => {
      this.#gathering = undefined
      const settled = this.#settled
      this.#settled = []
      this.#do(async () => {
        const badge = await this.badge()
        if (badge !== this.#badgeTold) await this.#tell('badge', badgeNotice(badge, settled), hour)
      })
    }, this.#options.gatherMs ?? 1_000)
    this.#gathering.unref()
  }

  async #tell(kind: keyof Preferences, notice: Notice, ttl: number): Promise<void> {
    this.#badgeTold = notice.badge
    const subscribers = (await this.subscribers.all()).filter(({ preferences }) => preferences[kind])
    // Not awaited: a push service that is slow or down must not hold up the next notice.
    for (const subscriber of subscribers) {
      if (this.#sending.size >= mostSending) return
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
    const { actions: _, ...plain } = notice
    const parcel = {
      payload: JSON.stringify(this.#mayAnswer(subscriber.device) ? notice : plain),
      ttl,
      urgency:
        notice.type === 'ask'
          ? ('high' as const)
          : notice.type === 'badge'
            ? ('low' as const)
            : ('normal' as const),
      topic: notice.tag ?? 'badge',
    }
    const sent = await send(subscriber, parcel, { ...this.#options.sending, vapid: this.#vapid, signal })
    const full = await this.subscribers.of(subscriber.device)
    if (!full || full.endpoint !== subscriber.endpoint) return sent.state
    if (sent.state === 'sent') await this.subscribers.reached(full)
    else if (sent.state === 'gone') await this.subscribers.gone(full)
    else {
      const dropped = await this.subscribers.failed(full)
      log('warn', 'Cannot send a notification', { device: subscriber.device, why: sent.why, dropped })
    }
    return sent.state
  }

  #isReview(key: SessionKey): boolean {
    return this.#context.live.of(key)?.reviews !== undefined
  }

  #do(work: () => Promise<void>): void {
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
