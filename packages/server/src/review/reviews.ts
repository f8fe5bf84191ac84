import { createHash, randomBytes } from 'node:crypto'
import type { SessionKey } from '@remora/ledger'
import { type Command, RemoraError } from '@remora/protocol'
import { findAgent } from '@remora/sdk'
import { getSessionFolder } from '../changes/session-folder.ts'
import { type SessionStarts, watchStarts } from '../changes/starts.ts'
import type { Context } from '../core/context.ts'
import type { Collection } from '../core/store.ts'
import { compareOpinions } from './agreement.ts'
import { Instructions } from './instructions.ts'
import { type Material, gather } from './material.ts'
import { reviewPrompt, sendBackText } from './prompt.ts'
import { runReviewer } from './reviewer.ts'
import type { Review, ReviewRequest, Reviewer, SendBack } from '@remora/protocol/api'
import { ConcurrencyLimit } from './concurrency-limit.ts'

export interface ReviewsOptions {
  readonly starts?: SessionStarts
  /** How many reviewers work at the same time, in all reviews together. */
  readonly atOnce?: number
}

const usualTimeoutMs = 15 * 60_000
const mostRunning = 10
const mostKept = 500

/**
 * Sends the work of one agent to others, and puts together what they say.
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
  readonly #turnstile: ConcurrencyLimit
  readonly #running = new Map<string, { review: Review; cancel: AbortController; done: Promise<void> }>()
  readonly #listeners = new Set<(review: Review) => void>()
  #starting = 0

  private constructor(context: Context, options: ReviewsOptions) {
    this.#context = context
    this.#starts = options.starts ?? watchStarts(context)
    this.#collection = context.store.collection('reviews')
    this.#turnstile = new ConcurrencyLimit(options.atOnce ?? 4)
    this.instructions = new Instructions(context.store)
  }

  /** What was under way when the last server ended is marked so: its reviewers ended with it. */
  static async open(context: Context, options: ReviewsOptions = {}): Promise<Reviews> {
    const reviews = new Reviews(context, options)
    for (const review of (await reviews.#collection.all()).values()) {
      if (review.state !== 'running') continue
      const reviewers = review.reviewers.map((reviewer): Reviewer =>
        reviewer.state === 'done' ? reviewer : { ...reviewer, state: 'cancelled' },
      )
      await reviews.#collection.put(review.id, summedUp({ ...review, reviewers }, 'interrupted'))
    }
    return reviews
  }

  /** Begins, and tells how it stands; the end is told to listeners. */
  async start(request: ReviewRequest): Promise<Review> {
    // Those that are being prepared count too.
    if (this.#running.size + this.#starting >= mostRunning)
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

  /** The latest first. Of one session: also those that were made while it had our own id. */
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

  /** Ends what is still under way; what reviewers have said already stays. */
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

  /** Tells the parent what was found, as a prompt of the person's: it waits while the parent works. */
  async sendBack(id: string, wish: SendBack, client: string): Promise<Command> {
    const review = await this.get(id)
    const { live } = this.#context
    const parent =
      live.of(review.parent) ??
      live.list().find((info) => info.agent === review.parent.agent && info.id === review.parent.session)
    if (!parent || parent.state === 'ended')
      throw new RemoraError('conflict', 'The reviewed session is not running', {
        hint: `Resume it first: remora new ${review.parent.agent} --resume ${review.parent.session}`,
      })
    const groups = wish.groups ? review.groups.filter(({ id }) => wish.groups!.includes(id)) : review.groups
    if (groups.length === 0) throw new RemoraError('conflict', 'No findings to send back')
    const reviewers = [
      ...new Set(groups.flatMap(({ by }) => by.map(({ reviewer }) => review.reviewers[reviewer]!.agent))),
    ]
    const chosen = groups.map(({ id }) => id)
    // The same findings with the same words are the same command, however often the button is pressed.
    const hash = createHash('sha256')
      .update(JSON.stringify([chosen, wish.note ?? '']))
      .digest('hex')
      .slice(0, 12)
    const command = await live.submit({
      id: `${review.id}-${hash}`,
      client,
      target: { agent: parent.agent, session: parent.session },
      body: { kind: 'prompt', content: [{ type: 'text', text: sendBackText(groups, reviewers, wish.note) }] },
    })
    // Reviewers may have gone on meanwhile.
    const latest = await this.get(id)
    if (!latest.sentBack.some((sent) => sent.command === command.id))
      await this.#keep({
        ...latest,
        sentBack: [...latest.sentBack, { at: Date.now(), command: command.id, groups: chosen }],
      })
    return command
  }

  on(listener: (review: Review) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Settles when nothing is under way any more. */
  async idle(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ done }) => done))
  }

  async #start(request: ReviewRequest): Promise<Review> {
    const context = this.#context
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
    const material = await gather(context, key, request.what, { starts: this.#starts, signal })
    const review = newReview(key, request, material)
    await this.#tidy()
    const entry = { review, cancel, done: Promise.resolve() }
    this.#running.set(review.id, entry)
    await this.#keep(review)
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
    const one = async (number: number): Promise<void> => {
      const { agent, model } = request.reviewers[number]!
      const leave = await this.#turnstile.enter(signal)
      if (!leave) return this.#change(id, number, { state: 'cancelled' }, true)
      try {
        await this.#change(id, number, { state: 'running', startedAt: Date.now() }, true)
        const end = await runReviewer({
          context: this.#context,
          agent,
          prompt: reviewPrompt({
            of: request.parent.agent,
            text,
            omitted,
            instructions: instructions[number]!,
          }),
          cwd,
          trust: request.trust ?? false,
          timeoutMs: request.timeoutMs ?? usualTimeoutMs,
          signal,
          onProgress: (progress) => void this.#change(id, number, progress, false),
          ...(model === undefined ? {} : { model }),
          ...(request.maxTokens === undefined ? {} : { maxTokens: request.maxTokens }),
        })
        await this.#change(id, number, { ...end, endedAt: Date.now() }, true)
      } finally {
        leave()
      }
    }
    try {
      await Promise.all(request.reviewers.map((_, number) => one(number)))
      const { review } = this.#running.get(id)!
      const answered = review.reviewers.some(({ state }) => state === 'done')
      // A server that ends is not a person who cancels.
      const stopped = this.#context.signal.aborted ? 'interrupted' : 'cancelled'
      await this.#keep(summedUp(review, signal.aborted ? stopped : answered ? 'done' : 'failed'))
    } catch (error) {
      log('error', 'A review failed', { id, error: String(error) })
    } finally {
      this.#running.delete(id)
    }
  }

  /** Not every step is stored, only those that count after a restart. */
  async #change(id: string, number: number, change: Partial<Reviewer>, keep: boolean): Promise<void> {
    const entry = this.#running.get(id)
    if (!entry) return
    const reviewers = entry.review.reviewers.map((reviewer) =>
      reviewer.number === number ? { ...reviewer, ...change } : reviewer,
    )
    entry.review = change.opinion
      ? summedUp({ ...entry.review, reviewers }, 'running')
      : { ...entry.review, reviewers }
    if (keep) await this.#keep(entry.review)
    else this.#tell(entry.review)
  }

  async #keep(review: Review): Promise<void> {
    const entry = this.#running.get(review.id)
    if (entry) entry.review = review
    await this.#collection.put(review.id, review)
    this.#tell(review)
  }

  #tell(review: Review): void {
    for (const listener of this.#listeners) listener(review)
  }

  async #tidy(): Promise<void> {
    const old = (await this.list()).slice(mostKept).filter(({ state }) => state !== 'running')
    for (const { id } of old) await this.#collection.remove(id)
  }
}

function newReview(
  parent: SessionKey,
  { what, reviewers, instruction }: ReviewRequest,
  material: Material,
): Review {
  return {
    id: `r-${randomBytes(6).toString('hex')}`,
    parent,
    kind: what.kind,
    ...(material.anchor === undefined ? {} : { anchor: material.anchor }),
    title: material.title,
    state: 'running',
    at: Date.now(),
    ...(instruction === undefined ? {} : { instruction }),
    material: { characters: material.text.length, omitted: material.omitted },
    reviewers: reviewers.map(({ agent, model }, number) => ({
      number,
      agent,
      ...(model === undefined ? {} : { model }),
      state: 'queued',
      toolCalls: 0,
    })),
    groups: [],
    sentBack: [],
  }
}

/** With what the opinions that are there come to. */
function summedUp(review: Review, state: Review['state']): Review {
  const opined = review.reviewers.flatMap(({ number, opinion }) =>
    opinion ? [{ reviewer: number, opinion }] : [],
  )
  return {
    ...review,
    ...compareOpinions(opined),
    state,
    ...(state === 'running' ? {} : { endedAt: Date.now() }),
  }
}
