import { channels } from '../constants.ts'
import type { EventOf } from '../event.ts'
import { isCallEntity } from './call.ts'
import type { Item, Lane, LaneTurn, NoteItem, TextItem, ToolItem } from './lane.ts'

/** One thing of a conversation, with every lane's version of it, best first. */
export interface Thing {
  readonly kind: Item['kind']
  readonly versions: Item[]
  turn: Turn
}

/** One turn, merged from all lanes that report it. */
export interface Turn {
  /** The lanes' versions; the first one created the turn. */
  readonly parts: LaneTurn[]
  readonly prompts: EventOf<'message'>[]
  /** The ranks of the lanes that told of it. */
  readonly ranks: Set<number>
  /** The rank of the lane by whose word its prompt was taken back. */
  removedBy?: number
  /** The rank of the lane that says that the agent dropped the prompt. */
  droppedBy?: number
  readonly at: number
  things: Thing[]
  readonly usages: ToldUsage[]
}

/** What a lane told of tokens in a turn. */
export interface ToldUsage {
  readonly lane: Lane
  readonly event: EventOf<'usage'>
}

/** A lane's item on its way into a turn, with the thing that it turned out to be. */
interface Entry {
  readonly item: Item
  readonly thing?: Thing
}

/** How far two channels' clocks of the same prompt may lie apart: a CLI may need long to start. */
export const closeMs = 60_000

/** How much earlier than the prompt its first effects may be told, by another clock. */
export const skewMs = 1_000

/**
 * Merges turns of several lanes. The caller passes them lane by lane, the most reliable lane first, and in each lane's
 * order: each lane adds what it knows to what the lanes before it know.
 */
export function mergeTurns(laneTurns: readonly LaneTurn[]): Turn[] {
  const turns: Turn[] = []
  const calls = new Map<string, Thing>()
  let lane: Lane | undefined
  let from = 0
  for (const laneTurn of laneTurns) {
    if (laneTurn.lane !== lane) from = 0
    lane = laneTurn.lane
    let index = findTurn(turns, laneTurn, from, calls)
    if (index === -1) {
      index = placeByTime(turns, laneTurn, from)
      const { at } = laneTurn
      turns.splice(index, 0, { parts: [], prompts: [], ranks: new Set(), at, things: [], usages: [] })
    }
    join(turns[index]!, laneTurn, calls)
    from = index + 1
  }
  return turns
}

/** The same turn is one that shares a tool call, else one with the same prompt at about the same time, in order. */
function findTurn(
  turns: readonly Turn[],
  laneTurn: LaneTurn,
  from: number,
  calls: Map<string, Thing>,
): number {
  for (const item of laneTurn.items) {
    const thing = item.kind === 'tool' && item.placed ? calls.get(item.entity) : undefined
    const index = thing && isPlaced(thing) ? turns.indexOf(thing.turn, from) : -1
    if (index !== -1) return index
  }
  const { prompt, at, text } = laneTurn
  let closest = -1
  for (let index = from; index < turns.length; index++) {
    const turn = turns[index]!
    if (prompt && turn.prompts.some((other) => other.entity === prompt.entity)) return index
    // Two sources of one channel, such as two runs, never tell of the same prompt.
    if (turn.ranks.has(laneTurn.lane.rank)) continue
    const distance = Math.abs(turn.at - at)
    // What came before any prompt belongs to the turn that was under way.
    const same = prompt
      ? distance <= closeMs && turn.parts.some((other) => other.prompt && other.text === text)
      : turn.at <= at + skewMs
    if (same && (closest === -1 || distance < Math.abs(turns[closest]!.at - at))) closest = index
  }
  return closest
}

function placeByTime(turns: readonly Turn[], laneTurn: LaneTurn, from: number): number {
  const later = turns.findIndex((turn, index) => index >= from && turn.at > laneTurn.at)
  return later === -1 ? turns.length : later
}

/**
 * Adds one lane's turn to what better lanes know of it. Calls that both sides place cut the turn into stretches;
 * inside a stretch, the i-th text is the i-th text.
 */
function join(turn: Turn, laneTurn: LaneTurn, calls: Map<string, Thing>): void {
  const { lane } = laneTurn
  turn.parts.push(laneTurn)
  turn.ranks.add(lane.rank)
  if (laneTurn.removed && turn.prompts.length === 0) turn.removedBy = lane.rank
  if (laneTurn.dropped && turn.prompts.length === 0) turn.droppedBy = lane.rank
  if (laneTurn.prompt) turn.prompts.push(laneTurn.prompt)
  for (const event of laneTurn.usages) turn.usages.push({ lane, event })

  const { entries, shared } = recognise(turn, laneTurn.items, calls)
  const { things } = turn
  const places = new Map(things.map((thing, index) => [thing, index]))
  const merged: Thing[] = []
  let reached = 0
  let stretch: Entry[] = []
  const close = (end: number): void => {
    for (const each of mergeStretch(turn, things.slice(reached, end), stretch)) merged.push(each)
    reached = end
    stretch = []
  }
  for (const entry of entries) {
    if (!shared.has(entry)) {
      stretch.push(entry)
      continue
    }
    const place = places.get(entry.thing!) ?? -1
    // A call that stands before an earlier boundary was shown in another order here: it cuts nothing.
    if (place < reached) continue
    close(place)
    merged.push(things[place]!)
    reached = place + 1
  }
  close(things.length)
  turn.things = merged
  for (const thing of merged)
    for (const item of thing.versions)
      if (item.kind === 'tool' && !isCallEntity(item.entity)) calls.set(item.entity, thing)
}

/** Finds out which of a lane's calls are known already, and hands each its version. */
function recognise(turn: Turn, items: readonly Item[], calls: Map<string, Thing>) {
  const entries: Entry[] = []
  const shared = new Set<Entry>()
  const counts = new Map<string, number>()
  const byCall = indexByCall(turn.things)
  for (const item of items) {
    if (item.kind !== 'tool') {
      entries.push({ item })
      continue
    }
    const nameless = isCallEntity(item.entity) || item.local
    const thing = calls.get(item.entity) ?? (nameless ? nthCall(byCall, item, counts) : undefined)
    if (!thing) {
      entries.push({ item })
      continue
    }
    const wasPlaced = isPlaced(thing)
    thing.versions.push(item)
    if (!item.placed) continue
    const entry: Entry = { item, thing }
    if (!wasPlaced) {
      // So far only a record that collects calls told of it; here is its real place.
      thing.turn.things = thing.turn.things.filter((other) => other !== thing)
      entries.push(entry)
    } else if (thing.turn === turn) {
      entries.push(entry)
      shared.add(entry)
    }
  }
  return { entries, shared }
}

function indexByCall(things: readonly Thing[]): Map<string, Thing[]> {
  const byCall = new Map<string, Thing[]>()
  for (const thing of things) {
    const calls = new Set(
      thing.versions.flatMap((item) => (item.kind === 'tool' ? [item.call, item.claudeCall] : [])),
    )
    for (const call of calls) {
      const same = byCall.get(call)
      if (same) same.push(thing)
      else byCall.set(call, [thing])
    }
  }
  return byCall
}

function nthCall(
  byCall: Map<string, Thing[]>,
  item: ToolItem,
  counts: Map<string, number>,
): Thing | undefined {
  const call = item.local ? item.claudeCall : item.call
  const count = counts.get(call) ?? 0
  counts.set(call, count + 1)
  return byCall.get(call)?.[count]
}

function mergeStretch(turn: Turn, known: readonly Thing[], entries: readonly Entry[]): Thing[] {
  const merged = [...known]
  const free = known.filter((thing) => thing.kind !== 'tool')
  const named = new Set(entries.map((entry) => entry.item.entity))
  const whole = new Map([...wholeOf('text', free, entries), ...wholeOf('thinking', free, entries)])
  let last = -1
  for (const { item, thing: moved } of entries) {
    if (whole.has(item)) {
      whole.get(item)!.versions.push(item)
      last = Math.max(last, merged.indexOf(whole.get(item)!))
      continue
    }
    const counterpart = item.kind === 'tool' ? undefined : findCounterpart(free, item, named)
    if (counterpart) {
      counterpart.versions.push(item)
      free.splice(free.indexOf(counterpart), 1)
      last = Math.max(last, merged.indexOf(counterpart))
      continue
    }
    const thing = moved ?? { kind: item.kind, versions: [item], turn }
    thing.turn = turn
    if (isScreenText(item)) last = merged.findLastIndex(({ kind }) => kind !== 'note')
    merged.splice(++last, 0, thing)
  }
  return merged
}

/** Where a lane tells in several pieces what a better one has as one finished whole, all of them are that one. */
function wholeOf(
  kind: 'text' | 'thinking',
  known: readonly Thing[],
  entries: readonly Entry[],
): Map<Item, Thing> {
  const pieces = entries.flatMap(({ item }) => (item.kind === kind && 'buffer' in item ? [item] : []))
  const [only, ...others] = known.filter((thing) => thing.kind === kind)
  const best = only?.versions.find((item) => 'buffer' in item && item.finished)
  if (pieces.length < 2 || !only || others.length > 0 || !best || !('buffer' in best)) return new Map()
  const told = pieces.map((item) => item.buffer.toString()).join('')
  return best.buffer.toString().startsWith(told) ? new Map(pieces.map((item) => [item, only])) : new Map()
}

/** The same entity if a lane names it, else the next of its kind that no other entry names. */
function findCounterpart(free: readonly Thing[], item: Item, named: Set<string>): Thing | undefined {
  const sameKind = free.filter((thing) => thing.kind === item.kind)
  const isNamed = (thing: Thing) => thing.versions.some((version) => named.has(version.entity))
  return (
    sameKind.find((thing) => thing.versions.some((version) => version.entity === item.entity)) ??
    sameKind.find(
      (thing) =>
        !isNamed(thing) &&
        (item.kind !== 'note' || saysTheSame(thing, item)) &&
        (!isScreenText(item) || overlaps(thing, item)),
    )
  )
}

const terminalRank = channels.indexOf('terminal')

/** A terminal reports only the text that was cut off, so its first text need not be the first of the turn. */
function isScreenText(item: Item): item is TextItem {
  return item.rank === terminalRank && 'buffer' in item
}

/** Whether one text is a part of the other, apart from what a screen changes: spaces, wrapping and markup. */
function overlaps(thing: Thing, item: TextItem): boolean {
  const shown = getLetters(item)
  return thing.versions.some((other) => {
    const text = 'buffer' in other ? getLetters(other) : ''
    return text.includes(shown) || (text !== '' && shown.includes(text))
  })
}

function getLetters({ buffer }: TextItem): string {
  const text = buffer.toString()
  return text.replaceAll(/[^\p{L}\p{N}]/gu, '') || text.replaceAll(/\s/g, '')
}

function saysTheSame(thing: Thing, note: NoteItem): boolean {
  const words = JSON.stringify(note.content)
  return thing.versions.some((other) => other.kind === 'note' && JSON.stringify(other.content) === words)
}

function isPlaced(thing: Thing): boolean {
  return thing.versions.some((item) => item.kind === 'tool' && item.placed)
}
