import { channels } from '../model/constants.ts'
import type { EventOf } from '../model/event.ts'
import { isCallEntity } from './call.ts'
import {
  type Item,
  type Lane,
  type LaneTurn,
  type NoteItem,
  TextBuffer,
  type TextItem,
  type ToolItem,
} from './lane.ts'

/** One text, call, media or note, with every lane's version of it, the most reliable first. */
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
  /** The ranks of the lanes that report it. */
  readonly ranks: Set<number>
  /** The rank of the lane that says that the prompt was undone. */
  removedBy?: number
  /** The rank of the lane that says that the agent dropped the prompt. */
  droppedBy?: number
  readonly at: number
  things: Thing[]
  readonly usages: LaneUsage[]
}

/** The usage that a lane reports for a turn. */
export interface LaneUsage {
  readonly lane: Lane
  readonly event: EventOf<'usage'>
}

/** A lane's item that is added to a turn, with the thing that it is a version of. */
interface Entry {
  readonly item: Item
  readonly thing?: Thing
}

/** How much the times of one prompt may differ between channels, since a CLI may start slowly. */
export const closeMs = 60_000

/** How much earlier than the prompt another clock may report its first effects. */
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

/** Finds the turn that shares a tool call, else the closest one with the same prompt at about the same time. */
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
    // Two sources of one channel, such as two runs, never report the same prompt.
    if (turn.ranks.has(laneTurn.lane.rank)) continue
    const distance = Math.abs(turn.at - at)
    // Events before any prompt belong to the turn that was running.
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
 * Adds one lane's turn to a merged turn. Calls that both sides place divide the turn into stretches; inside a stretch, the
 * i-th text of the lane is the i-th text of the turn.
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
    // A call before an earlier boundary was reported in another order, so it is no boundary.
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

/** Finds the known calls among a lane's items, and adds the lane's version to each. */
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
      // Only a record that collects calls reported it so far; its real position is here.
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
  const whole = new Map([...matchPieces('text', free, entries), ...matchPieces('thinking', free, entries)])
  let last = -1
  for (const entry of entries) {
    const { thing: moved } = entry
    const item = cutFinished(entry.item, turn)
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

/** Matches several pieces of a lane with the one finished text that contains all of them. */
function matchPieces(
  kind: 'text' | 'thinking',
  known: readonly Thing[],
  entries: readonly Entry[],
): Map<Item, Thing> {
  const pieces = entries.flatMap(({ item }) => (item.kind === kind && 'buffer' in item ? [item] : []))
  const [only, ...others] = known.filter((thing) => thing.kind === kind)
  const best = only?.versions.find((item) => 'buffer' in item && item.finished)
  if (pieces.length < 2 || !only || others.length > 0 || !best || !('buffer' in best)) return new Map()
  const text = pieces.map((item) => item.buffer.toString()).join('')
  return best.buffer.toString().startsWith(text) ? new Map(pieces.map((item) => [item, only])) : new Map()
}

/** Finds the thing with the same entity, else the next one of its kind whose entity no other entry has. */
function findCounterpart(free: readonly Thing[], item: Item, named: Set<string>): Thing | undefined {
  const sameKind = free.filter((thing) => thing.kind === item.kind)
  const isNamed = (thing: Thing) => thing.versions.some((version) => named.has(version.entity))
  return (
    sameKind.find((thing) => thing.versions.some((version) => version.entity === item.entity)) ??
    sameKind.find(
      (thing) =>
        !isNamed(thing) &&
        (item.kind !== 'note' || hasSameContent(thing, item)) &&
        (!isScreenText(item) || overlaps(thing, item)),
    )
  )
}

const terminalRank = channels.indexOf('terminal')

/** A terminal reports only the text that was cut off, so its first text need not be the first of the turn. */
function isScreenText(item: Item): item is TextItem {
  return item.rank === terminalRank && 'buffer' in item
}

const hooksRank = channels.indexOf('hooks')

/**
 * A screen, and the hook at the end of a turn, may report all texts of the turn as one. This leaves out what other lanes know
 * as finished, up to the last of these texts if there is nothing else.
 */
function cutFinished<T extends Item>(item: T, { things }: Turn): T {
  if (!('buffer' in item) || item.rank < hooksRank) return item
  const shown = getLetters(item)
  let [last, end] = [0, 0]
  for (const { versions } of things) {
    const finished = versions.find((other) => 'buffer' in other && other.finished && !other.interrupted)
    const letters = finished && 'buffer' in finished ? getLetters(finished) : ''
    if (letters === '' || !shown.startsWith(letters, end)) continue
    last = end
    end += letters.length
  }
  const rest = skipLines(item.buffer.toString(), end < shown.length ? end : last)
  if (rest === undefined) return item
  const buffer = new TextBuffer()
  buffer.write(0, rest)
  return { ...item, buffer }
}

/** The text after the lines that have so many letters, if these end with a line. */
function skipLines(text: string, count: number): string | undefined {
  const lines = text.split('\n')
  let passed = 0
  const last = lines.findIndex((line) => (passed += line.replaceAll(noLetter, '').length) >= count)
  return count > 0 && passed === count
    ? lines
        .slice(last + 1)
        .join('\n')
        .trim()
    : undefined
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
  return text.replaceAll(noLetter, '') || text.replaceAll(/\s/g, '')
}

const noLetter = /[^\p{L}\p{N}]/gu

function hasSameContent(thing: Thing, note: NoteItem): boolean {
  const content = JSON.stringify(note.content)
  return thing.versions.some((other) => other.kind === 'note' && JSON.stringify(other.content) === content)
}

function isPlaced(thing: Thing): boolean {
  return thing.versions.some((item) => item.kind === 'tool' && item.placed)
}
