import { addUsage } from '../model/add-usage.ts'
import type { Event, EventOf } from '../model/event.ts'
import type { Message } from '../model/message.ts'
import type { Usage } from '../model/usage.ts'
import { type AskEffects, Asks, getIdKey } from './asks.ts'
import { getLaneName } from './lane.ts'
import { type BuiltCall, listLatestUsages } from './messages.ts'
import { type PlacedTurn, type Replacement, Thread, replaceRange } from './thread.ts'

/** Messages that take the place of `removed` others from the position `from` on. */
export interface MessageChange {
  readonly from: number
  readonly removed: number
  readonly messages: readonly Message[]
}

/** The messages of a sub-agent. */
interface Child {
  readonly thread: Thread
  /** The call that started it. */
  readonly parent: string
  /** The turns that show this call. */
  readonly owners: Set<PlacedTurn>
}

/** A part of the message list that is assembled again. */
interface Region {
  readonly index: number
  readonly start: number
  readonly length: number
  readonly turns: readonly PlacedTurn[]
}

/**
 * The messages of one session, kept up to date event by event. An event costs as much as the turns that it can change,
 * whatever the length of the session. The list equals `fold` of all events so far.
 *
 * @example
 * const session = new SessionFold()
 * for (const { from, removed, messages } of session.apply(events)) shown.splice(from, removed, ...messages)
 */
export class SessionFold {
  readonly #messages: Message[] = []
  readonly #seen = new Map<string, Set<string>>()
  readonly #asks = new Asks()
  readonly #root: Thread
  #agent = ''
  #first = Infinity
  readonly #children = new Map<string, Child>()
  readonly #childByThread = new Map<Thread, Child>()
  /** Sub-agents whose call is shown in several turns. */
  readonly #ambiguous = new Set<Child>()
  /** The events of sub-agents by name, with their order of arrival. */
  readonly #childEvents = new Map<string, { readonly order: number; readonly event: Event }[]>()
  /** The calls that started sub-agents, by the names of these. */
  readonly #starters = new Map<string, string>()
  #order = 0
  /** The turns that show a call, by the keys of the call. */
  readonly #callTurns = new Map<string, Set<PlacedTurn>>()
  readonly #changedThreads = new Set<Thread>()
  /** Messages at the end, of sub-agents whose call is unknown. */
  #orphans = 0
  readonly #staleTurns = new Set<PlacedTurn>()
  #hasStaleOrphans = false
  #isRegrouped = false

  /** `firsts`: when sources began whose older events are left out, as a `Checkpoint` says. */
  constructor(firsts?: ReadonlyMap<string, number>) {
    this.#root = new Thread(firsts)
  }

  /** The current messages. The next call of `apply` changes this list. */
  get messages(): readonly Message[] {
    return this.#messages
  }

  /** The time of the earliest event. */
  get first(): number {
    return this.#first
  }

  /**
   * Adds events of one session and returns the changes to `messages`, to be applied in this order. Repeated events change
   * nothing.
   */
  apply(events: Iterable<Event>): MessageChange[] {
    for (const event of events) this.#read(event)
    return this.#update()
  }

  /** The usage of the session: for each turn, the finest scope of its most reliable channel. Scopes are never added. */
  countUsage(): Usage {
    let total: Usage = {}
    for (const { turns } of [this.#root, ...this.#childByThread.keys()])
      for (const event of listCountedUsages(turns)) total = addUsage(total, event.usage)
    return total
  }

  #read(event: Event): void {
    const { key, digest = '' } = event.origin
    const lane = getLaneName(event)
    const seen = this.#seen.get(lane) ?? new Set()
    this.#seen.set(lane, seen)
    const id = `${key}\n${digest}`
    if (seen.has(id)) return
    seen.add(id)
    this.#agent = event.agent
    this.#first = Math.min(this.#first, event.at)
    if ('subagent' in event && event.subagent !== undefined) this.#addStarter(event.subagent, event.entity)
    if (event.type === 'ask' || event.type === 'answer')
      for (const effects of this.#asks.read(event)) this.#expire(effects)
    const thread = event.parent ? this.#addChildEvent(event.parent, event) : this.#root
    thread.read(event)
    this.#changedThreads.add(thread)
  }

  #addChildEvent(name: string, event: Event): Thread {
    const events = this.#childEvents.get(name) ?? []
    this.#childEvents.set(name, events)
    events.push({ order: this.#order++, event })
    return this.#getChild(this.#starters.get(name) ?? name).thread
  }

  #getChild(parent: string): Child {
    let child = this.#children.get(parent)
    if (child) return child
    child = { thread: new Thread(), parent, owners: new Set() }
    for (const turn of this.#callTurns.get(getIdKey(parent)) ?? [])
      if (turn.calls.some(({ id, isShown }) => isShown && id === parent)) child.owners.add(turn)
    if (child.owners.size > 1) this.#ambiguous.add(child)
    this.#children.set(parent, child)
    this.#childByThread.set(child.thread, child)
    this.#changedThreads.add(child.thread)
    return child
  }

  /** A sub-agent whose call becomes known only now is read again, with the events that name the call. */
  #addStarter(name: string, entity: string): void {
    const before = this.#starters.get(name) ?? name
    this.#starters.set(name, entity)
    if (before === entity || !this.#childEvents.has(name)) return
    this.#isRegrouped = true
    for (const parent of [before, entity]) {
      const child = this.#children.get(parent)
      if (!child) continue
      for (const turn of child.thread.turns) this.#indexCalls(turn, turn.calls, [])
      this.#children.delete(parent)
      this.#childByThread.delete(child.thread)
      this.#ambiguous.delete(child)
      this.#changedThreads.delete(child.thread)
    }
    const events = [...this.#childEvents].flatMap(([other, list]) => {
      const parent = this.#starters.get(other) ?? other
      return parent === before || parent === entity ? list.map((each) => ({ ...each, parent })) : []
    })
    for (const { event, parent } of events.sort((a, b) => a.order - b.order))
      this.#getChild(parent).thread.read(event)
  }

  /** Marks the turns whose calls an ask is about. */
  #expire({ denials, wait }: AskEffects): void {
    const expire = (turn: PlacedTurn): void => {
      turn.thread.expire(turn)
      this.#changedThreads.add(turn.thread)
    }
    for (const { key, at } of denials) {
      if (key === undefined)
        for (const thread of [this.#root, ...this.#childByThread.keys()]) {
          thread.expireAt(at)
          this.#changedThreads.add(thread)
        }
      else for (const turn of this.#callTurns.get(key) ?? []) expire(turn)
    }
    const isDuring = ({ startedAt, endedAt }: BuiltCall) =>
      startedAt !== undefined && endedAt !== undefined && startedAt <= wait!.from && endedAt >= wait!.until
    for (const key of wait?.keys ?? [])
      for (const turn of this.#callTurns.get(key) ?? [])
        if (turn.calls.some((call) => call.keys.includes(key) && isDuring(call))) expire(turn)
  }

  #update(): MessageChange[] {
    let replaced: Replacement | undefined
    for (const thread of this.#changedThreads) {
      const replacement = thread.merge()
      for (const turn of replacement?.removed ?? []) {
        this.#indexCalls(turn, turn.calls, [])
        if (thread !== this.#root) this.#markOwner(turn)
      }
      if (thread === this.#root) replaced = replacement
    }
    for (const thread of this.#changedThreads) {
      const child = this.#childByThread.get(thread)
      const context = { agent: this.#agent, parent: child?.parent, asks: this.#asks }
      for (const [turn, calls] of thread.build(context)) {
        this.#indexCalls(turn, calls, turn.calls)
        this.#markOwner(turn)
      }
      if (child && !this.#isReached(child)) this.#hasStaleOrphans = true
    }
    this.#changedThreads.clear()
    const changes =
      this.#isRegrouped || this.#ambiguous.size > 0
        ? this.#assembleAll()
        : this.#assemble(this.#listRegions(replaced))
    this.#staleTurns.clear()
    this.#isRegrouped = this.#hasStaleOrphans = false
    return changes
  }

  #indexCalls(turn: PlacedTurn, before: readonly BuiltCall[], after: readonly BuiltCall[]): void {
    for (const { id, keys } of before) {
      for (const key of keys) {
        const turns = this.#callTurns.get(key)
        turns?.delete(turn)
        if (turns?.size === 0) this.#callTurns.delete(key)
      }
      this.#changeOwner(id, (owners) => owners.delete(turn))
    }
    for (const { id, keys, isShown } of after) {
      for (const key of keys) {
        const turns = this.#callTurns.get(key)
        if (turns) turns.add(turn)
        else this.#callTurns.set(key, new Set([turn]))
      }
      if (isShown) this.#changeOwner(id, (owners) => owners.add(turn))
    }
  }

  #changeOwner(parent: string, change: (owners: Set<PlacedTurn>) => void): void {
    const child = this.#children.get(parent)
    if (!child) return
    change(child.owners)
    if (this.#ambiguous.delete(child)) this.#isRegrouped = true
    if (child.owners.size > 1) this.#ambiguous.add(child)
    this.#hasStaleOrphans = true
  }

  /** Marks the turn of the session under which a turn is shown. */
  #markOwner(turn: PlacedTurn): void {
    const root = this.#findRootTurn(turn)
    if (root) this.#staleTurns.add(root)
    else this.#hasStaleOrphans = true
  }

  #isReached({ owners }: Child): boolean {
    return [...owners].some((turn) => this.#findRootTurn(turn))
  }

  #findRootTurn(turn: PlacedTurn): PlacedTurn | undefined {
    const passed = new Set<Thread>()
    let current: PlacedTurn | undefined = turn
    while (current && current.thread !== this.#root) {
      if (passed.has(current.thread)) return undefined
      passed.add(current.thread)
      ;[current] = this.#childByThread.get(current.thread)?.owners ?? []
    }
    return current
  }

  #listRegions(replaced: Replacement | undefined): Region[] {
    const { turns } = this.#root
    const regions: Region[] = []
    if (replaced) {
      const { index, removed, added } = replaced
      const before = index === 0 ? undefined : turns[index - 1]!.place
      const length = removed.reduce((sum, turn) => sum + turn.place!.length, 0)
      regions.push({ index, start: before ? before.start + before.length : 0, length, turns: added })
    }
    for (const turn of this.#staleTurns) {
      const { place } = turn
      // A turn without a position is new, or was replaced.
      if (place && turns[turn.index] === turn) regions.push({ index: turn.index, ...place, turns: [turn] })
    }
    return regions.sort((a, b) => a.start - b.start || a.index - b.index)
  }

  #assemble(regions: readonly Region[]): MessageChange[] {
    const changes: MessageChange[] = []
    if (this.#hasStaleOrphans) {
      const orphans = this.#listOrphans(new Set())
      this.#replace(this.#messages.length - this.#orphans, this.#orphans, orphans, changes)
      this.#orphans = orphans.length
    }
    // From the end, so that the positions before a region stay as they are.
    for (const { start, length, turns } of [...regions].reverse()) {
      const shown = turns.flatMap((turn) => this.#show(turn, new Set()))
      this.#replace(start, length, shown, changes)
    }
    const last = regions.at(-1)
    if (last) this.#updateStarts(regions[0]!.index, last.index + last.turns.length)
    return changes
  }

  /** Assembles the whole list, because the position of a sub-agent depends on more than one turn. */
  #assembleAll(): MessageChange[] {
    const placed = new Set<Child>()
    const shown = this.#root.turns.flatMap((turn) => this.#show(turn, placed))
    const orphans = this.#listOrphans(placed)
    const changes: MessageChange[] = []
    this.#replace(0, this.#messages.length, [...shown, ...orphans], changes)
    this.#orphans = orphans.length
    this.#updateStarts(0, this.#root.turns.length)
    return changes
  }

  #updateStarts(first: number, last: number): void {
    const { turns } = this.#root
    const before = turns[first - 1]?.place
    let start = before ? before.start + before.length : 0
    for (let index = first; index < turns.length; index++) {
      const place = turns[index]!.place!
      if (index >= last && place.start === start) return
      place.start = start
      start += place.length
    }
  }

  /** The messages of a turn, each followed by those of the sub-agents that it started. */
  #show(turn: PlacedTurn, placed: Set<Child>): Message[] {
    const shown: Message[] = []
    const showTurn = ({ messages }: PlacedTurn): void => {
      for (const message of messages) {
        shown.push(message)
        if (this.#children.size === 0) continue
        for (const block of message.content) {
          const child = block.type === 'tool_use' ? this.#children.get(block.id) : undefined
          if (!child || placed.has(child)) continue
          placed.add(child)
          child.thread.turns.forEach(showTurn)
        }
      }
    }
    showTurn(turn)
    if (turn.thread === this.#root) turn.place = { start: 0, length: shown.length }
    return shown
  }

  #listOrphans(placed: Set<Child>): Message[] {
    const children = [...this.#children.values()]
      .filter((child) => !placed.has(child) && !this.#isReached(child))
      .sort((a, b) => a.thread.first - b.thread.first || (a.parent < b.parent ? -1 : 1))
    return children.flatMap((child) => {
      if (placed.has(child)) return []
      placed.add(child)
      return child.thread.turns.flatMap((turn) => this.#show(turn, placed))
    })
  }

  /** Replaces messages, and reports those that differ. Equal messages stay the same objects. */
  #replace(start: number, length: number, messages: readonly Message[], changes: MessageChange[]): void {
    let from = 0
    while (from < length && from < messages.length && isEqual(this.#messages[start + from], messages[from]))
      from++
    let same = 0
    const most = Math.min(length, messages.length) - from
    while (same < most && isEqual(this.#messages[start + length - 1 - same], messages.at(-1 - same))) same++
    const change = {
      from: start + from,
      removed: length - from - same,
      messages: messages.slice(from, messages.length - same),
    }
    if (change.removed === 0 && change.messages.length === 0) return
    changes.push(change)
    replaceRange(this.#messages, change.from, change.removed, change.messages)
  }
}

function listCountedUsages(turns: readonly PlacedTurn[]): EventOf<'usage'>[] {
  const latest = turns.map(listLatestUsages)
  // A run's total repeats what the same source reported turn by turn.
  const finer = new Set(latest.flat().flatMap(({ lane, event }) => (event.scope === 'run' ? [] : [lane])))
  return latest.flatMap((usages) => {
    for (const scope of ['message', 'turn', 'run']) {
      const ofScope = usages.filter(
        ({ lane, event }) => event.scope === scope && (scope !== 'run' || !finer.has(lane)),
      )
      const best = ofScope.reduce((rank, { lane }) => Math.min(rank, lane.rank), Infinity)
      const counted = new Map(
        ofScope.filter(({ lane }) => lane.rank === best).map(({ event }) => [event.entity, event]),
      )
      if (counted.size > 0) return [...counted.values()]
    }
    return []
  })
}

/** Compares JSON values. Most parts of a rebuilt message are the same objects as before. */
function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every(
    (key) => key in right && isEqual(left[key as keyof typeof left], right[key as keyof typeof right]),
  )
}
