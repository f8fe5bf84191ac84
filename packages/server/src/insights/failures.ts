import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { type Desire, type DesirePath, desires, paths } from '@remora/insights'
import type { CallCount, CallCountsQuery, CallEntry, CallsQuery, Ledger } from '@remora/ledger'
import { formatCursor } from '@remora/protocol'

/** Selects tool calls. */
export interface CallFilter {
  readonly agent?: string
  /** Includes subfolders. */
  readonly cwd?: string
  readonly since?: number
}

/** How many calls are read and classified before yielding to the event loop. */
const pageSize = 400
/** How long an unused result stays cached. */
const cacheMs = 5 * 60_000
/**
 * A working agent changes the ledger all the time. So a result stays fresh for `freshFactor` times the time it took to
 * compute, up to this limit.
 */
const maxFreshMs = 3_000
const freshFactor = 10
/** How many filtered views, and how many counts, are cached. */
const maxViews = 30

interface CachedFailures {
  readonly cursor: string
  readonly failures: Promise<Failures>
  /** Until this time the result is used even if the ledger has changed. */
  freshUntil: number
}

interface Cache {
  cached?: CachedFailures
  timer?: NodeJS.Timeout
  readonly classified: Map<number, Desire>
}

const caches = new WeakMap<Ledger, Cache>()

/** The failed calls of a ledger. `corrected` are those that the pave hook refused with a correction. */
export class Failures {
  readonly desires: readonly Desire[]
  readonly corrected: readonly CallEntry[]
  readonly #ledger: Ledger
  readonly #views = new Map<string, Failures>()
  readonly #counts = new Map<string, Promise<CallCount[]>>()
  #paths: DesirePath[] | undefined

  constructor(ledger: Ledger, desires: readonly Desire[], corrected: readonly CallEntry[]) {
    this.#ledger = ledger
    this.desires = desires
    this.corrected = corrected
  }

  /** Returns the failures that match a filter. */
  select(filter: CallFilter): Failures {
    if (Object.keys(filter).length === 0) return this
    const key = JSON.stringify(filter)
    const matches = createMatcher(filter)
    const view =
      this.#views.get(key) ??
      new Failures(this.#ledger, this.desires.filter(matches), this.corrected.filter(matches))
    if (this.#views.size >= maxViews) this.#views.clear()
    this.#views.set(key, view)
    return view
  }

  /** Returns the desire paths, the most costly first. */
  async paths(): Promise<readonly DesirePath[]> {
    if (!this.#paths) {
      await yieldToLoop()
      this.#paths ??= paths(this.desires)
      await yieldToLoop()
    }
    return this.#paths
  }

  /** Counts calls. The result of each query is cached. */
  count(query: CallCountsQuery): Promise<CallCount[]> {
    const key = JSON.stringify(query)
    const cached = this.#counts.get(key)
    if (cached) return cached
    const count = yieldToLoop().then(async () => {
      const found = await this.#ledger.countCalls(query)
      await yieldToLoop()
      return found
    })
    if (this.#counts.size >= maxViews) this.#counts.clear()
    this.#counts.set(key, count)
    // A failed query is not cached: the database may be available at the next call.
    count.catch(() => this.#counts.delete(key))
    return count
  }
}

/**
 * Reads and classifies every failed call, in pages so that the event loop is not blocked. Earlier classifications are
 * reused, and an unchanged ledger is not read again.
 *
 * @example const { desires } = await readFailures(context.ledger)
 */
export async function readFailures(ledger: Ledger): Promise<Failures> {
  const cache: Cache = caches.get(ledger) ?? { classified: new Map() }
  caches.set(ledger, cache)
  clearTimeout(cache.timer)
  cache.timer = setTimeout(() => caches.delete(ledger), cacheMs).unref()
  const cursor = formatCursor(await ledger.head())
  const { cached } = cache
  if (cached && (cached.cursor === cursor || Date.now() < cached.freshUntil)) return cached.failures
  const began = Date.now()
  const next: CachedFailures = { cursor, failures: classify(ledger, cache.classified), freshUntil: Infinity }
  cache.cached = next
  next.failures.then(
    () => (next.freshUntil = Date.now() + Math.min(maxFreshMs, freshFactor * (Date.now() - began))),
    () => {
      if (cache.cached === next) delete cache.cached
    },
  )
  return next.failures
}

async function classify(ledger: Ledger, classified: Map<number, Desire>): Promise<Failures> {
  const found: Desire[] = []
  const corrected: CallEntry[] = []
  const seen = new Set<number>()
  for await (const page of readCallPages(ledger, { failed: true })) {
    const fresh = page.filter((call) => !isSame(classified.get(call.id), call))
    for (const { id } of fresh) classified.delete(id)
    for (const desire of desires(fresh)) classified.set(desire.id, desire)
    for (const call of page) {
      seen.add(call.id)
      const desire = classified.get(call.id)
      if (desire) found.push(desire)
      else corrected.push(call)
    }
  }
  for (const id of classified.keys()) if (!seen.has(id)) classified.delete(id)
  found.sort((one, other) => one.at - other.at || one.id - other.id)
  return new Failures(ledger, found, corrected)
}

/** Whether a call is unchanged since it was classified. A better channel may have updated it. */
function isSame(one: CallEntry | undefined, other: CallEntry): boolean {
  return (
    one !== undefined &&
    one.status === other.status &&
    one.error === other.error &&
    one.at === other.at &&
    one.tool === other.tool &&
    one.native === other.native &&
    one.channel === other.channel &&
    one.cwd === other.cwd
  )
}

/** Reads calls in pages, latest first, and yields to the event loop in between. */
export async function* readCallPages(ledger: Ledger, query: CallsQuery): AsyncGenerator<CallEntry[]> {
  let until = query.until
  let last = new Set<number>()
  let limit = pageSize
  for (;;) {
    const page = await ledger.calls({ ...query, limit, ...(until === undefined ? {} : { until }) })
    // Pages overlap: calls with the oldest timestamp of the previous page are read again.
    const fresh = page.filter(({ id }) => !last.has(id))
    if (fresh.length > 0) yield fresh
    if (page.length < limit) return
    await yieldToLoop()
    const oldest = page[0]!.at
    // More calls than a page holds have the same timestamp.
    if (fresh.length === 0) limit *= 2
    last = new Set([...(until === oldest + 1 ? last : []), ...page.map(({ id }) => id)])
    until = oldest + 1
  }
}

/** Creates a filter that selects the same calls as a ledger query. */
function createMatcher({ agent, cwd, since = 0 }: CallFilter) {
  const root = cwd?.replace(/[/\\]+$/, '')
  const isInFolder = (folder = ''): boolean =>
    root === undefined || folder === root || folder.startsWith(`${root}/`) || folder.startsWith(`${root}\\`)
  return (call: Pick<Desire, 'agent' | 'cwd' | 'at'>): boolean =>
    call.at >= since && (agent === undefined || call.agent === agent) && isInFolder(call.cwd)
}
