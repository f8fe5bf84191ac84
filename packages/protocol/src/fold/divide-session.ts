import type { Event } from '../model/event.ts'
import type { Message } from '../model/message.ts'
import {
  type Checkpoint,
  type CheckpointSource,
  type Positioned,
  TailGuard,
  changesTurn,
  getFirsts,
  hashMessageId,
  hashText,
  listKeys,
  listTouchedKeys,
} from './checkpoint.ts'
import { getLaneName, getPromptText, isPrompt } from './lane.ts'
import { closeMs, skewMs } from './merge.ts'
import { SessionFold } from './session-fold.ts'

/** A position at which a source can be divided. */
interface Point {
  readonly seq: number
  readonly at: number
  /** The latest time that matters to other turns before it. */
  readonly before: number
}

interface Source {
  /** The time of its earliest event. */
  first: number
  /** The latest time that matters to other turns. */
  latest: number
  lastSeq: number
  /** The position of its first event that belongs to a turn. */
  turns: number
  /** Whether only a prompt divides it. */
  isDividedByPrompts: boolean
  points: Point[]
}

/** How many prompts are tried. */
const maxTries = 50

/** How many late events of older turns a tail may contain. */
const maxStrays = 200

/** A proposed checkpoint, and the ranges of positions that contain its tail. */
export interface Proposal {
  readonly checkpoint: Checkpoint
  readonly ranges: readonly (readonly [from: number, to: number])[]
}

/** Reads the events of a session in their order, and finds checkpoints. */
export class SessionDivider {
  readonly #sources = new Map<string, Source>()
  /** How often events since the last checkpoint have a key. */
  readonly #counts = new Map<number, number>()
  #prompts: (readonly [at: number, text: number])[] = []
  #messages = 0

  /** `base`: the checkpoint at which the session was opened. */
  constructor(base?: Checkpoint) {
    if (!base) return
    this.#messages = base.messages
    this.#prompts = [...base.prompts]
    for (const [name, { first, hasTurns }] of Object.entries(base.sources))
      this.#sources.set(name, {
        first: first ?? Infinity,
        latest: base.at,
        lastSeq: 0,
        turns: hasTurns ? 0 : Infinity,
        isDividedByPrompts: hasTurns,
        points: [],
      })
  }

  add({ seq, event }: Positioned): void {
    for (const key of listKeys(event)) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    const name = getLaneName(event)
    let source = this.#sources.get(name)
    if (!source) {
      source = {
        first: Infinity,
        latest: -Infinity,
        lastSeq: 0,
        turns: Infinity,
        isDividedByPrompts: false,
        points: [],
      }
      this.#sources.set(name, source)
    }
    source.lastSeq = seq
    const isRoot = event.parent === undefined
    const isTurn = isRoot && isPrompt(event)
    if (isTurn) this.#prompts.push([event.at, hashText(getPromptText(event))])
    const isStart = isRoot && changesTurn(event) && source.turns === Infinity
    if (isRoot && changesTurn(event)) {
      source.turns = Math.min(source.turns, seq)
      if (!isTurn && !source.isDividedByPrompts) source.points = []
      source.isDividedByPrompts = true
    }
    if (isTurn || !source.isDividedByPrompts) source.points.push({ seq, at: event.at, before: source.latest })
    if (isRoot) source.first = Math.min(source.first, event.at)
    if (isStart || isTimed(event)) source.latest = Math.max(source.latest, event.at)
  }

  /** Proposes to divide the session before one of its last prompts, with at least `keep` messages after it. */
  propose(messages: readonly Message[], keep: number, most = 3): Proposal[] {
    const proposals: Proposal[] = []
    let tries = 0
    for (let index = messages.length - keep; index > 0 && proposals.length < most; index--) {
      const { role, context, parent, timestamp } = messages[index]!
      if (role !== 'user' || context || parent !== undefined) continue
      if (++tries > maxTries) break
      const proposal = this.#divide(timestamp, this.#messages + index)
      if (proposal) proposals.push(proposal)
    }
    return proposals
  }

  /**
   * Checks a proposal by folding its tail. Returns the checkpoint and the keys that it adds to those of older turns, or
   * undefined if the tail is not what the whole fold has. `hasKey` says whether turns before the base have a key.
   */
  check(
    { checkpoint }: Proposal,
    events: readonly Positioned[],
    messages: readonly Message[],
    hasKey: (key: number) => boolean,
  ): { readonly checkpoint: Checkpoint; readonly keys: ReadonlySet<number> } | undefined {
    const added = checkpoint.messages - this.#messages
    const keys = this.#listOlderKeys(events, messages.slice(0, added))
    const hasOlderKey = (key: number): boolean => keys.has(key) || hasKey(key)
    const strays: number[] = []
    let { at } = checkpoint
    const tail = events.filter(({ seq, event }) => {
      if (isPrompt(event) || !listTouchedKeys(event).some(hasOlderKey)) return true
      for (const key of listKeys(event)) keys.add(key)
      strays.push(seq)
      at = Math.max(at, event.at)
      return false
    })
    const isApart = tail.every(({ event }) => !isPrompt(event) || event.at > at + skewMs)
    if (strays.length > maxStrays || !isApart) return undefined
    const divided = { ...checkpoint, at, strays }
    const guard = new TailGuard(divided, hasOlderKey)
    const session = new SessionFold(getFirsts(divided))
    session.apply(tail.map(({ event }) => event))
    // A list of the agent's memory was applied to the older turns before their messages were counted.
    const isAdmitted = tail.every(({ event }) => event.type === 'status' || guard.admits(event))
    const isSame =
      isAdmitted &&
      guard.admitsIds(session.messages) &&
      JSON.stringify(session.messages) === JSON.stringify(messages.slice(added))
    return isSame ? { checkpoint: divided, keys } : undefined
  }

  /** The keys of the events since the base that are not in the tail. */
  #listOlderKeys(tail: readonly Positioned[], messages: readonly Message[]): Set<number> {
    const counts = new Map(this.#counts)
    for (const { event } of tail)
      for (const key of listKeys(event)) counts.set(key, (counts.get(key) ?? 0) - 1)
    const keys = new Set(messages.map(({ id }) => hashMessageId(id)))
    for (const [key, count] of counts) if (count > 0) keys.add(key)
    return keys
  }

  #divide(start: number, messages: number): Proposal | undefined {
    let at = -Infinity
    let next = Infinity
    const sources: Record<string, CheckpointSource> = {}
    const ranges: [from: number, to: number][] = []
    for (const [name, source] of this.#sources) {
      const point = source.points.findLast(({ before }) => before + skewMs < start)
      const isCut = point !== undefined && point.at >= start - closeMs
      const before = isCut ? point.before : source.latest
      if (before + skewMs >= start) return undefined
      at = Math.max(at, before)
      if (isCut) {
        next = Math.min(next, point.at)
        ranges.push([point.seq, source.lastSeq])
      }
      const cut = isCut ? point.seq : null
      const first = source.first === Infinity ? null : source.first
      sources[name] = { first, cut, hasTurns: source.turns < (cut ?? Infinity) }
    }
    if (at === -Infinity || next <= at + skewMs) return undefined
    const prompts = this.#prompts.filter(([time]) => time <= at && time >= at - closeMs)
    return { checkpoint: { messages, at, prompts, strays: [], sources }, ranges: joinRanges(ranges) }
  }
}

/** Whether the time of an event matters to other turns: asks find their calls by time. */
function isTimed(event: Event): boolean {
  return ['ask', 'answer', 'tool_use', 'tool_result'].includes(event.type) || isPrompt(event)
}

function joinRanges(ranges: readonly (readonly [number, number])[]): [number, number][] {
  const joined: [number, number][] = []
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1)
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else joined.push([from, to])
  }
  return joined
}
