import { createHash, randomBytes } from 'node:crypto'
import type { SessionKey } from '@remora/ledger'
import { type Command, RemoraError } from '@remora/protocol'
import { findAgent } from '@remora/sdk'
import { getSessionFolder } from '../changes/session-folder.ts'
import { type SessionStarts, watchStarts } from '../changes/starts.ts'
import { refreshAgents } from '../core/added-agents.ts'
import type { Context } from '../core/context.ts'
import type { Collection } from '../core/store.ts'
import { compareOpinions } from './agreement.ts'
import { Instructions } from './instructions.ts'
import { type Material, collectMaterial } from './material.ts'
import { formatFindings, formatReviewPrompt } from './prompt.ts'
import { runReviewer } from './reviewer.ts'
import type { Review, ReviewRequest, Reviewer, SendBack } from '@remora/protocol/api'

export interface ReviewsOptions {
  readonly starts?: SessionStarts
  /** How many reviewers run at the same time, in all reviews together. */
  readonly concurrency?: number
}

const defaultTimeoutMs = 15 * 60_000
const maxRunning = 10
const maxStored = 500

/**
 * Lets several agents review the work of another, and merges their opinions.
 *
 * @example
 * const reviews = await Reviews.open(context)
 * const { id } = await reviews.start({ parent, what: { kind: 'changes' }, reviewers: [{ agent: 'claude' }, { agent: 'codex' }] })
 */
export class Reviews {
  readonly instructions: Instructions
  readonly #context: Context
  readonly #starts: SessionStarts
  readonly #collection: Collection<Review>
  readonly #limit: ConcurrencyLimit
  readonly #running = new Map<string, { review: Review; cancel: AbortController; done: Promise<void> }>()
  readonly #listeners = new Set<(review: Review) => void>()
  #starting = 0

  private constructor(context: Context, options: ReviewsOptions) {
    this.#context = context
    this.#starts = options.starts ?? watchStarts(context)
    this.#collection = context.store.collection('reviews')
    this.#limit = new ConcurrencyLimit(options.concurrency ?? 4)
    this.instructions = new Instructions(context.store)
  }

  /** Marks reviews that were running when the last server stopped as interrupted. */
  static async open(context: Context, options: ReviewsOptions = {}): Promise<Reviews> {
    const reviews = new Reviews(context, options)
    for (const review of (await reviews.#collection.all()).values()) {
      if (review.state !== 'running') continue
      const reviewers = review.reviewers.map((reviewer): Reviewer =>
        reviewer.state === 'done' ? reviewer : { ...reviewer, state: 'cancelled' },
      )
      await reviews.#collection.put(review.id, summarize({ ...review, reviewers }, 'interrupted'))
    }
    return reviews
  }

  /** Starts a review and returns its first state; listeners get every later one. */
  async start(request: ReviewRequest): Promise<Review> {
    // Reviews that are being prepared count too.
    if (this.#running.size + this.#starting >= maxRunning)
      throw new RemoraError('overloaded', 'Too many reviews are running', {
        hint: 'Wait for one to finish, or cancel one.',
      })
    this.#starting += 1
    try {
      return await this.#start(request)
    } finally {
      this.#starting -= 1
    }
  }

  async get(id: string): Promise<Review> {
    const review = this.#running.get(id)?.review ?? (await this.#collection.get(id))
    if (!review) throw new RemoraError('not_found', 'Review not found')
    return review
  }

  /** Lists reviews, latest first. A session includes those from before the agent gave it its own id. */
  async list(key?: SessionKey): Promise<Review[]> {
    const all = [...(await this.#collection.all()).values()].map(
      (review) => this.#running.get(review.id)?.review ?? review,
    )
    const live = key && this.#context.live.of(key)
    const ids = new Set([key?.session, live?.id, live?.session])
    return all
      .filter(({ parent }) => !key || (parent.agent === key.agent && ids.has(parent.session)))
      .toSorted((left, right) => right.at - left.at)
  }

  /** Stops the running reviewers; finished opinions stay. */
  async cancel(id: string): Promise<Review> {
    const entry = this.#running.get(id)
    if (!entry) return this.get(id)
    entry.cancel.abort(new RemoraError('aborted', 'The review was cancelled'))
    await entry.done
    return this.get(id)
  }

  async remove(id: string): Promise<void> {
    await this.cancel(id)
    await this.#collection.remove(id)
  }

  /** Sends findings to the reviewed session as a prompt, which is queued while the session is working. */
  async sendBack(id: string, request: SendBack, client: string): Promise<Command> {
    const review = await this.get(id)
    const { live } = this.#context
    const parent =
      live.of(review.parent) ??
      live.list().find((info) => info.agent === review.parent.agent && info.id === review.parent.session)
    if (!parent || parent.state === 'ended')
      throw new RemoraError('conflict', 'The reviewed session is not running', {
        hint: `Resume it first: remora new ${review.parent.agent} --resume ${review.parent.session}`,
      })
    const groups = request.groups
      ? review.groups.filter(({ id }) => request.groups!.includes(id))
      : review.groups
    if (groups.length === 0) throw new RemoraError('conflict', 'No findings to send back')
    const reviewers = [
      ...new Set(groups.flatMap(({ by }) => by.map(({ reviewer }) => review.reviewers[reviewer]!.agent))),
    ]
    const chosen = groups.map(({ id }) => id)
    // The command id is a hash of the content, so that a repeated click sends the findings once.
    const hash = createHash('sha256')
      .update(JSON.stringify([chosen, request.note ?? '']))
      .digest('hex')
      .slice(0, 12)
    const command = await live.submit({
      id: `${review.id}-${hash}`,
      client,
      target: { agent: parent.agent, session: parent.session },
      body: {
        kind: 'prompt',
        content: [{ type: 'text', text: formatFindings(groups, reviewers, request.note) }],
      },
    })
    // The review may have changed in the meantime.
    const latest = await this.get(id)
    if (!latest.sentBack.some((sent) => sent.command === command.id))
      await this.#store({
        ...latest,
        sentBack: [...latest.sentBack, { at: Date.now(), command: command.id, groups: chosen }],
      })
    return command
  }

  on(listener: (review: Review) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves when no review is running. */
  async idle(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ done }) => done))
  }

  async #start(request: ReviewRequest): Promise<Review> {
    const context = this.#context
    await refreshAgents(context)
    for (const { agent } of request.reviewers)
      if (!findAgent(agent))
        throw new RemoraError('not_found', `Unknown agent "${agent}"`, { hint: 'See: remora agents' })
    const { key, cwd } = await getSessionFolder(context, request.parent)
    const prompts = await Promise.all(
      request.reviewers.map(async ({ instruction, saved }) => [
        ...(request.instruction ? [request.instruction] : []),
        ...(saved === undefined ? [] : [(await this.instructions.get(saved)).text]),
        ...(instruction ? [instruction] : []),
      ]),
    )
    const cancel = new AbortController()
    const signal = AbortSignal.any([cancel.signal, context.signal])
    const material = await collectMaterial(context, key, request.what, { starts: this.#starts, signal })
    const review = createReview(key, request, material)
    await this.#removeOld()
    const entry = { review, cancel, done: Promise.resolve() }
    this.#running.set(review.id, entry)
    await this.#store(review)
    entry.done = this.#run(review.id, request, material, prompts, cwd, signal)
    return review
  }

  async #run(
    id: string,
    request: ReviewRequest,
    { text, omitted }: Material,
    instructions: readonly (readonly string[])[],
    cwd: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { log } = this.#context
    const runOne = async (number: number): Promise<void> => {
      const { agent, model } = request.reviewers[number]!
      const leave = await this.#limit.enter(signal)
      if (!leave) return this.#change(id, number, { state: 'cancelled' }, true)
      try {
        await this.#change(id, number, { state: 'running', startedAt: Date.now() }, true)
        const result = await runReviewer({
          context: this.#context,
          agent,
          prompt: formatReviewPrompt({
            of: request.parent.agent,
            text,
            omitted,
            instructions: instructions[number]!,
          }),
          cwd,
          trust: request.trust ?? false,
          timeoutMs: request.timeoutMs ?? defaultTimeoutMs,
          signal,
          onProgress: (progress) => void this.#change(id, number, progress, false),
          model,
          maxTokens: request.maxTokens,
        })
        await this.#change(id, number, { ...result, endedAt: Date.now() }, true)
      } finally {
        leave()
      }
    }
    try {
      await Promise.all(request.reviewers.map((_, number) => runOne(number)))
      const { review } = this.#running.get(id)!
      const answered = review.reviewers.some(({ state }) => state === 'done')
      // Distinguishes a server that stops from a user who cancels.
      const stopped = this.#context.signal.aborted ? 'interrupted' : 'cancelled'
      await this.#store(summarize(review, signal.aborted ? stopped : answered ? 'done' : 'failed'))
    } catch (error) {
      log('error', 'Review failed', { id, error: String(error) })
    } finally {
      this.#running.delete(id)
    }
  }

  /** Stores only the changes that matter after a restart. */
  async #change(id: string, number: number, change: Partial<Reviewer>, store: boolean): Promise<void> {
    const entry = this.#running.get(id)
    if (!entry) return
    const reviewers = entry.review.reviewers.map((reviewer) =>
      reviewer.number === number ? { ...reviewer, ...change } : reviewer,
    )
    entry.review = change.opinion
      ? summarize({ ...entry.review, reviewers }, 'running')
      : { ...entry.review, reviewers }
    if (store) await this.#store(entry.review)
    else this.#notify(entry.review)
  }

  async #store(review: Review): Promise<void> {
    const entry = this.#running.get(review.id)
    if (entry) entry.review = review
    await this.#collection.put(review.id, review)
    this.#notify(review)
  }

  #notify(review: Review): void {
    for (const listener of this.#listeners) listener(review)
  }

  async #removeOld(): Promise<void> {
    const old = (await this.list()).slice(maxStored).filter(({ state }) => state !== 'running')
    for (const { id } of old) await this.#collection.remove(id)
  }
}

function createReview(
  parent: SessionKey,
  { what, reviewers, instruction }: ReviewRequest,
  material: Material,
): Review {
  return {
    id: `r-${randomBytes(6).toString('hex')}`,
    parent,
    kind: what.kind,
    anchor: material.anchor,
    title: material.title,
    state: 'running',
    at: Date.now(),
    instruction,
    material: { characters: material.text.length, omitted: material.omitted },
    reviewers: reviewers.map(({ agent, model }, number) => ({
      number,
      agent,
      model,
      state: 'queued',
      toolCalls: 0,
    })),
    groups: [],
    sentBack: [],
  }
}

/** Adds the comparison of the opinions so far. */
function summarize(review: Review, state: Review['state']): Review {
  const opinions = review.reviewers.flatMap(({ number, opinion }) =>
    opinion ? [{ reviewer: number, opinion }] : [],
  )
  return {
    ...review,
    ...compareOpinions(opinions),
    state,
    ...(state === 'running' ? {} : { endedAt: Date.now() }),
  }
}

/** Limits how many tasks run at the same time; the others wait in order. */
export class ConcurrencyLimit {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(limit: number) {
    this.#free = limit
  }

  /** Resolves with a function that frees the slot, or with undefined after an abort. @example const leave = await limit.enter(signal) */
  async enter(signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return undefined
    if (this.#free > 0) this.#free--
    else if (!(await this.#wait(signal))) return undefined
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }

  #wait(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const leave = (): void => {
        const at = this.#waiting.indexOf(enter)
        if (at !== -1) this.#waiting.splice(at, 1)
        resolve(false)
      }
      const enter = (): void => {
        signal.removeEventListener('abort', leave)
        resolve(true)
      }
      this.#waiting.push(enter)
      signal.addEventListener('abort', leave, { once: true })
    })
  }
}
