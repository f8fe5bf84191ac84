import type { Event, EventOf } from '../model/event.ts'
import { isCallEntity } from './call.ts'
import { type Lane, LaneReader, type LaneTurn, finishBeforeTools, getLaneName } from './lane.ts'
import { type Turn, closeMs, mergeTurns, skewMs } from './merge.ts'
import { type BuiltTurn, type TurnContext, buildTurn, listLatestUsages } from './messages.ts'

/** A merged turn at its position in the thread. */
export interface PlacedTurn extends Turn, BuiltTurn {
  readonly thread: Thread
  index: number
  /** The times of its parts. */
  readonly minAt: number
  readonly maxAt: number
  /** The latest time of this turn and all before it. */
  maxBefore: number
  /** The earliest time of this turn and all after it. */
  minAfter: number
  /** The usage of each message that the turn reports. */
  readonly usageHeads: ReadonlyMap<string, EventOf<'usage'>>
  /** Where its messages are in the session, with those of its sub-agents. */
  place?: { start: number; length: number }
  messages: BuiltTurn['messages']
  ids: BuiltTurn['ids']
  calls: BuiltTurn['calls']
}

/** The turns that an update put in the place of others. */
export interface Replacement {
  readonly index: number
  readonly removed: readonly PlacedTurn[]
  readonly added: readonly PlacedTurn[]
}

/** Turns from `start` to before `end`. */
interface Window {
  start: number
  end: number
}

export type BuildContext = Pick<TurnContext, 'agent' | 'parent' | 'asks'>

/**
 * The turns of a session, or of one of its sub-agents. An event changes a turn of its lane; `merge` then merges again only
 * the turns that this can affect, and `build` makes their messages.
 */
export class Thread {
  readonly turns: PlacedTurn[] = []
  /** The time of its earliest event. */
  first = Infinity
  readonly #readers = new Map<string, LaneReader>()
  readonly #changed = new Set<LaneTurn>()
  #isRewritten = false
  /** Turns whose messages must be built again. */
  readonly #stale = new Set<PlacedTurn>()
  /** The lanes' turns that contain a call or a prompt, by its entity. */
  readonly #links = new Map<string, LaneTurn[]>()
  /** The lanes that have metadata of an assistant message, by its id. */
  readonly #heads = new Map<string, Lane[]>()
  readonly #turnsById = new Map<string, Set<PlacedTurn>>()
  readonly #turnsByUsage = new Map<string, Set<PlacedTurn>>()
  /** Turns that a lane created before its first prompt. */
  readonly #promptless = new Set<PlacedTurn>()
  readonly #firsts: ReadonlyMap<string, number> | undefined

  /** `firsts`: when sources began whose older events are not read. */
  constructor(firsts?: ReadonlyMap<string, number>) {
    this.#firsts = firsts
  }

  read(event: Event): void {
    this.first = Math.min(this.first, event.at)
    const name = getLaneName(event)
    let reader = this.#readers.get(name)
    if (!reader) {
      this.#readers.set(name, (reader = new LaneReader(event.origin)))
      reader.lane.first = this.#firsts?.get(name) ?? Infinity
    } else if (event.at < reader.lane.first) this.#checkOrder(reader.lane, event.at)
    reader.read(event)
    for (const laneTurn of reader.changed) this.#changed.add(laneTurn)
    reader.changed.clear()
    this.#isRewritten ||= reader.hasRemovedTurns
    reader.hasRemovedTurns = false
    if (event.type === 'message' && event.role === 'assistant') {
      const lanes = this.#heads.get(event.entity) ?? []
      if (!lanes.includes(reader.lane)) lanes.push(reader.lane)
      this.#heads.set(event.entity, lanes)
      this.#expire(this.#turnsById.get(event.entity))
    }
  }

  /** Merges the changed turns again. */
  merge(): Replacement | undefined {
    if (this.#changed.size === 0 && !this.#isRewritten) return undefined
    for (const laneTurn of this.#changed) {
      finishBeforeTools(laneTurn)
      this.#link(laneTurn)
    }
    const changed = [...this.#changed].filter(({ isDeleted }) => !isDeleted)
    this.#changed.clear()
    const window = this.#isRewritten ? { start: 0, end: this.turns.length } : this.#findWindow(changed)
    const added = changed.filter(({ merged }) => merged === undefined)
    for (;;) {
      const parts = this.#isRewritten ? this.#listLaneTurns() : this.#grow(window, added)
      const merged = mergeTurns(parts.sort(compareLaneTurns))
      const earlier = this.#findEarlier(merged, window)
      if (earlier === -1) {
        this.#isRewritten = false
        return this.#replace(window, merged)
      }
      window.start = earlier
    }
  }

  /** Marks turns whose messages must be built again. */
  expire(turn: PlacedTurn): void {
    this.#stale.add(turn)
  }

  /** Marks the turns during which something happened. */
  expireAt(at: number): void {
    const { turns } = this
    for (let index = turns.length - 1; index >= 0; index--) {
      const next = turns[index + 1]
      if (next && next.maxBefore < at) return
      if (turns[index]!.at <= at) this.#stale.add(turns[index]!)
    }
  }

  /** Builds the messages of turns that are new or out of date, and returns these turns with the calls that they had. */
  build(context: BuildContext): ReadonlyMap<PlacedTurn, BuiltTurn['calls']> {
    const built = new Map<PlacedTurn, BuiltTurn['calls']>()
    // The number behind an id that occurs twice can change turns further on, so the set grows meanwhile.
    while (this.#stale.size > 0) {
      const stale = [...this.#stale].sort((a, b) => a.index - b.index)
      this.#stale.clear()
      for (const turn of stale) {
        if (this.turns[turn.index] !== turn) continue
        const before = turn.ids
        if (!built.has(turn)) built.set(turn, turn.calls)
        Object.assign(turn, buildTurn(turn, this.#describe(turn, context)))
        this.#indexIds(turn, before)
      }
    }
    return built
  }

  #describe(turn: PlacedTurn, context: BuildContext): TurnContext {
    return {
      ...context,
      until: this.turns[turn.index + 1]?.at ?? Infinity,
      getHead: (id) => {
        const lanes = this.#heads.get(id)
        return lanes?.reduce((best, lane) => (compareLanes(lane, best) < 0 ? lane : best)).messages.get(id)
      },
      getUsage: (id) => getFirst(this.#turnsByUsage.get(id))?.usageHeads.get(id),
      countEarlier: (id) => {
        let count = 0
        for (const other of this.#turnsById.get(id) ?? [])
          if (other.index < turn.index) count += other.ids.get(id) ?? 0
        return count
      },
    }
  }

  #indexIds(turn: PlacedTurn, before: ReadonlyMap<string, number>): void {
    for (const id of new Set([...before.keys(), ...turn.ids.keys()])) {
      const turns = this.#turnsById.get(id) ?? new Set()
      const count = turn.ids.get(id)
      if (count === undefined) turns.delete(turn)
      else turns.add(turn)
      if (turns.size === 0) this.#turnsById.delete(id)
      else this.#turnsById.set(id, turns)
      if (count !== before.get(id))
        for (const other of turns) if (other.index > turn.index) this.#stale.add(other)
    }
  }

  #expire(turns: Iterable<PlacedTurn> | undefined): void {
    for (const turn of turns ?? []) this.#stale.add(turn)
  }

  /** Lanes of one channel are ordered by their first event: an earlier one can change how all turns are merged. */
  #checkOrder(lane: Lane, first: number): void {
    const moved = { ...lane, first }
    for (const { lane: other } of this.#readers.values())
      if (other !== lane && compareLanes(lane, other) > 0 !== compareLanes(moved, other) > 0)
        this.#isRewritten = true
  }

  #listLaneTurns(): LaneTurn[] {
    return [...this.#readers.values()].flatMap(({ lane }) => lane.turns)
  }

  #link(laneTurn: LaneTurn): void {
    const { prompt, items, links } = laneTurn
    const add = (key: string): void => {
      if (links.has(key)) return
      links.add(key)
      const others = this.#links.get(key)
      if (others) others.push(laneTurn)
      else this.#links.set(key, [laneTurn])
    }
    if (prompt) add(`prompt ${prompt.entity}`)
    for (const item of items)
      if (item.kind === 'tool' && !isCallEntity(item.entity)) add(`call ${item.entity}`)
  }

  /** The turns that contain the changed ones, and the positions where new ones belong by their time. */
  #findWindow(changed: readonly LaneTurn[]): Window {
    const { length } = this.turns
    const window: Window = { start: length, end: 0 }
    const include = (start: number, end: number): void => {
      window.start = Math.min(window.start, start)
      window.end = Math.max(window.end, end)
    }
    for (const laneTurn of changed) {
      const index = (laneTurn.merged as PlacedTurn | undefined)?.index
      if (index !== undefined) {
        include(index, index + 1)
        continue
      }
      const start = this.#readers.size === 1 ? length : this.#findTime(laneTurn.at)
      const previous = laneTurn.previous?.merged as PlacedTurn | undefined
      include(start, Math.max(start, previous ? previous.index + 1 : 0))
    }
    return window
  }

  /** The first turn that is not before this time. */
  #findTime(at: number): number {
    let [low, high] = [0, this.turns.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.turns[middle]!.maxBefore < at) low = middle + 1
      else high = middle
    }
    return low
  }

  /**
   * Grows a window until merging it alone gives the same turns as merging everything: no turn outside of it shares a
   * call or a prompt with a turn inside, and all turns before it are earlier and all turns after it are later.
   * Returns the lanes' turns inside.
   */
  #grow(window: Window, added: readonly LaneTurn[]): LaneTurn[] {
    const { turns } = this
    const parts = [...added]
    let [minAt, maxAt] = [Infinity, -Infinity]
    const texts = new Set<string>()
    let taken: Window | undefined
    let checked = 0
    const take = (from: number, to: number): void => {
      for (let index = from; index < to; index++) for (const part of turns[index]!.parts) parts.push(part)
    }
    const include = (index: number): void => {
      window.start = Math.min(window.start, index)
      window.end = Math.max(window.end, index + 1)
    }
    for (;;) {
      if (!taken) take(window.start, window.end)
      else {
        take(window.start, taken.start)
        take(taken.end, window.end)
      }
      taken = { ...window }
      for (; checked < parts.length; checked++) {
        const part = parts[checked]!
        minAt = Math.min(minAt, part.at)
        maxAt = Math.max(maxAt, part.at)
        if (part.prompt) texts.add(part.text)
        for (const key of part.links)
          for (const { merged } of this.#links.get(key)!) if (merged) include((merged as PlacedTurn).index)
      }
      // The turns of a single lane are merged in its order, whatever their texts and times.
      if (this.#readers.size > 1) {
        const isAlike = ({ parts }: Turn) => parts.some(({ prompt, text }) => prompt && texts.has(text))
        for (let index = window.start - 1; index >= 0; index--) {
          const { maxBefore } = turns[index]!
          if (maxBefore + closeMs < minAt) break
          if (maxBefore + skewMs >= minAt || isAlike(turns[index]!)) include(index)
        }
        for (let index = window.end; index < turns.length; index++) {
          const { minAfter } = turns[index]!
          if (minAfter > maxAt + closeMs) break
          if (minAfter <= maxAt + skewMs || isAlike(turns[index]!)) include(index)
        }
        for (const { index } of this.#promptless) if (index >= window.end) include(index)
      }
      if (taken.start === window.start && taken.end === window.end) return parts
    }
  }

  /** The last turn before the window that a turn without a prompt may belong to. */
  #findEarlier(merged: readonly Turn[], { start }: Window): number {
    if (start === 0 || this.#readers.size === 1) return -1
    const lanes = merged.filter(isPromptless).map(({ parts }) => parts[0]!.lane)
    const isOpen = (turn: Turn, lane: Lane) =>
      !turn.parts.some((part) => part.lane.rank === lane.rank && compareLanes(part.lane, lane) < 0)
    for (let index = start - 1; lanes.length > 0 && index >= 0; index--)
      if (lanes.some((lane) => isOpen(this.turns[index]!, lane))) return index
    return -1
  }

  #replace({ start, end }: Window, merged: readonly Turn[]): Replacement {
    const { turns } = this
    const removed = turns.slice(start, end)
    const usageIds = new Set<string>()
    for (const turn of removed) this.#forget(turn, usageIds)
    const added = merged.map((turn, offset) => this.#place(turn, start + offset, usageIds))
    replaceRange(turns, start, removed.length, added)
    if (added.length !== removed.length)
      for (let index = start + added.length; index < turns.length; index++) turns[index]!.index = index
    this.#updateTimes(start, start + added.length)
    for (const id of usageIds) this.#expire(this.#turnsById.get(id))
    this.#expire(added)
    // A denial counts until the next turn starts.
    if (start > 0) this.#stale.add(turns[start - 1]!)
    return { index: start, removed, added }
  }

  #place(turn: Turn, index: number, usageIds: Set<string>): PlacedTurn {
    const usageHeads = new Map<string, EventOf<'usage'>>()
    for (const { event } of listLatestUsages(turn))
      if (event.scope === 'message' && !usageHeads.has(event.entity)) usageHeads.set(event.entity, event)
    const times = turn.parts.map(({ at }) => at)
    const [minAt, maxAt] = [Math.min(...times), Math.max(...times)]
    const placed: PlacedTurn = Object.assign(turn, {
      thread: this,
      index,
      minAt,
      maxAt,
      maxBefore: maxAt,
      minAfter: minAt,
      usageHeads,
      messages: [],
      ids: new Map<string, number>(),
      calls: [],
    })
    for (const part of turn.parts) part.merged = placed
    if (isPromptless(turn)) this.#promptless.add(placed)
    for (const id of usageHeads.keys()) {
      usageIds.add(id)
      const others = this.#turnsByUsage.get(id)
      if (others) others.add(placed)
      else this.#turnsByUsage.set(id, new Set([placed]))
    }
    return placed
  }

  #forget(turn: PlacedTurn, usageIds: Set<string>): void {
    this.#stale.delete(turn)
    this.#promptless.delete(turn)
    for (const id of turn.usageHeads.keys()) {
      usageIds.add(id)
      this.#turnsByUsage.get(id)?.delete(turn)
    }
    const { ids } = turn
    turn.ids = new Map()
    this.#indexIds(turn, ids)
  }

  #updateTimes(start: number, end: number): void {
    const { turns } = this
    for (let index = start; index < turns.length; index++) {
      const turn = turns[index]!
      const latest = Math.max(turns[index - 1]?.maxBefore ?? -Infinity, turn.maxAt)
      if (index >= end && latest === turn.maxBefore) break
      turn.maxBefore = latest
    }
    for (let index = end - 1; index >= 0; index--) {
      const turn = turns[index]!
      const earliest = Math.min(turns[index + 1]?.minAfter ?? Infinity, turn.minAt)
      if (index < start && earliest === turn.minAfter) break
      turn.minAfter = earliest
    }
  }
}

/** The most reliable channel first, then the earlier source: the order does not depend on which event arrived first. */
function compareLanes(a: Lane, b: Lane): number {
  return a.rank - b.rank || a.first - b.first || (a.source < b.source ? -1 : a.source === b.source ? 0 : 1)
}

function compareLaneTurns(a: LaneTurn, b: LaneTurn): number {
  return a.lane === b.lane ? a.number - b.number : compareLanes(a.lane, b.lane)
}

/** Whether a lane created the turn before its first prompt. */
function isPromptless({ parts }: Turn): boolean {
  return parts[0]!.prompt === undefined
}

function getFirst(turns: ReadonlySet<PlacedTurn> | undefined): PlacedTurn | undefined {
  let first: PlacedTurn | undefined
  for (const turn of turns ?? []) if (!first || turn.index < first.index) first = turn
  return first
}

/** Replaces a part of a list in place: a long list is not copied, and `added` may be longer than an argument list. */
export function replaceRange<T>(list: T[], start: number, removed: number, added: readonly T[]): void {
  const tail = removed === added.length ? [] : list.splice(start).slice(removed)
  for (let index = 0; index < added.length; index++) list[start + index] = added[index]!
  for (const value of tail) list.push(value)
}
