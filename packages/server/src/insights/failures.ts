import { setImmediate as breathe } from 'node:timers/promises'
import { type Desire, type DesirePath, desires, paths } from '@remora/insights'
import type { CallCount, CallCountsQuery, CallEntry, CallsQuery, Ledger } from '@remora/ledger'
import { formatCursor } from '@remora/protocol'

/** Which calls are meant. */
export interface Chosen {
  readonly agent?: string
  /** This folder and those below it. */
  readonly cwd?: string
  readonly since?: number
}

/** So many are read and told apart before others have their turn. */
const pageSize = 400
/** After so long without a question nothing is kept. */
const keptMs = 5 * 60_000
/**
 * An agent that works changes the ledger all the time. What took long to read is good for ten times as long, and no longer
 * than this; what took no time is read again, so that nobody is shown an empty page after the first call.
 */
const freshMs = 3_000
const freshTimes = 10
const mostViews = 30

interface Known {
  readonly cursor: string
  readonly look: Promise<Look>
  /** Until then it is good enough, although the ledger has gone on. */
  until: number
}

interface Shelf {
  known?: Known
  timer?: NodeJS.Timeout
  readonly told: Map<number, Desire>
}

const shelves = new WeakMap<Ledger, Shelf>()

/** Calls that failed, some of them only to be corrected; and what was found out about them. */
export class Look {
  readonly desires: readonly Desire[]
  readonly corrected: readonly CallEntry[]
  readonly #ledger: Ledger
  readonly #views = new Map<string, Look>()
  readonly #counts = new Map<string, Promise<CallCount[]>>()
  #paths: DesirePath[] | undefined

  constructor(ledger: Ledger, desires: readonly Desire[], corrected: readonly CallEntry[]) {
    this.#ledger = ledger
    this.desires = desires
    this.corrected = corrected
  }

  /** The part of it that is meant. */
  of(chosen: Chosen): Look {
    if (Object.keys(chosen).length === 0) return this
    const key = JSON.stringify(chosen)
    const isMeant = fits(chosen)
    const view =
      this.#views.get(key) ??
      new Look(this.#ledger, this.desires.filter(isMeant), this.corrected.filter(isMeant))
    if (this.#views.size >= mostViews) this.#views.clear()
    this.#views.set(key, view)
    return view
  }

  /** The paths, the most costly first. */
  async paths(): Promise<readonly DesirePath[]> {
    if (!this.#paths) {
      await breathe()
      this.#paths ??= paths(this.desires)
      await breathe()
    }
    return this.#paths
  }

  /** How many calls there are; each question is asked once. */
  count(query: CallCountsQuery): Promise<CallCount[]> {
    const key = JSON.stringify(query)
    const known = this.#counts.get(key)
    if (known) return known
    const count = breathe().then(async () => {
      const found = await this.#ledger.countCalls(query)
      await breathe()
      return found
    })
    if (this.#counts.size >= mostViews) this.#counts.clear()
    this.#counts.set(key, count)
    // A failure is not kept: a database that was away may be there again.
    count.catch(() => this.#counts.delete(key))
    return count
  }
}

/**
 * Every call that failed, told apart, without keeping others waiting: it is read in pages, what was told apart before
 * is not again, and nothing is read twice while the ledger stays the same.
 *
 * @example const { desires } = await lookInto(context.ledger)
 */
export async function lookInto(ledger: Ledger): Promise<Look> {
  const shelf: Shelf = shelves.get(ledger) ?? { told: new Map() }
  shelves.set(ledger, shelf)
  clearTimeout(shelf.timer)
  shelf.timer = setTimeout(() => shelves.delete(ledger), keptMs).unref()
  const cursor = formatCursor(await ledger.head())
  const { known } = shelf
  if (known && (known.cursor === cursor || Date.now() < known.until)) return known.look
  const began = Date.now()
  const next: Known = { cursor, look: read(ledger, shelf.told), until: Infinity }
  shelf.known = next
  next.look.then(
    () => (next.until = Date.now() + Math.min(freshMs, freshTimes * (Date.now() - began))),
    () => {
      if (shelf.known === next) delete shelf.known
    },
  )
  return next.look
}

async function read(ledger: Ledger, told: Map<number, Desire>): Promise<Look> {
  const found: Desire[] = []
  const corrected: CallEntry[] = []
  const seen = new Set<number>()
  for await (const page of pagesOf(ledger, { failed: true })) {
    const fresh = page.filter((call) => !isSame(told.get(call.id), call))
    for (const { id } of fresh) told.delete(id)
    for (const desire of desires(fresh)) told.set(desire.id, desire)
    for (const call of page) {
      seen.add(call.id)
      const desire = told.get(call.id)
      if (desire) found.push(desire)
      else corrected.push(call)
    }
  }
  for (const id of told.keys()) if (!seen.has(id)) told.delete(id)
  found.sort((one, other) => one.at - other.at || one.id - other.id)
  return new Look(ledger, found, corrected)
}

/** A call may be told again by a better channel. */
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

/** Calls in pages, the latest first; between two of them others have their turn. */
export async function* pagesOf(ledger: Ledger, query: CallsQuery): AsyncGenerator<CallEntry[]> {
  let until = query.until
  let last = new Set<number>()
  let limit = pageSize
  for (;;) {
    const page = await ledger.calls({ ...query, limit, ...(until === undefined ? {} : { until }) })
    // Those of the last moment of the page before come again.
    const fresh = page.filter(({ id }) => !last.has(id))
    if (fresh.length > 0) yield fresh
    if (page.length < limit) return
    await breathe()
    const oldest = page[0]!.at
    // More of them in one moment than a page holds.
    if (fresh.length === 0) limit *= 2
    last = new Set([...(until === oldest + 1 ? last : []), ...page.map(({ id }) => id)])
    until = oldest + 1
  }
}

/** As the ledger chooses. */
function fits({ agent, cwd, since = 0 }: Chosen) {
  const bare = cwd?.replace(/[/\\]+$/, '')
  const isBelow = (folder = ''): boolean =>
    bare === undefined || folder === bare || folder.startsWith(`${bare}/`) || folder.startsWith(`${bare}\\`)
  return (call: Pick<Desire, 'agent' | 'cwd' | 'at'>): boolean =>
    call.at >= since && (agent === undefined || call.agent === agent) && isBelow(call.cwd)
}
