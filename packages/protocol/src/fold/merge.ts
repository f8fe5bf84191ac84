import type { EventOf } from '../event.ts'
import { isCallEntity } from './call.ts'
import type { Item, Lane, LaneTurn, NoteItem, ToolItem } from './lane.ts'

/** One thing of a conversation, with every lane's version of it, best first. */
export interface Thing {
  readonly kind: Item['kind']
  readonly versions: Item[]
  turn: Turn
}

/** One turn as all lanes together know it. */
export interface Turn {
  readonly prompts: EventOf<'message'>[]
  /** The ranks of the lanes that told of it. */
  readonly ranks: Set<number>
  readonly at: number
  things: Thing[]
  readonly usages: { rank: number; event: EventOf<'usage'> }[]
}

/** A lane's item on its way into a turn, with the thing that it turned out to be. */
interface Entry {
  readonly item: Item
  readonly thing?: Thing
}

/** How far two channels' clocks of the same prompt may lie apart: a CLI may need long to start. */
const closeMs = 60_000

/** Joins lanes, best first: each adds what it knows to what the better ones know. */
export function mergeLanes(lanes: readonly Lane[]): Turn[] {
  const turns: Turn[] = []
  const calls = new Map<string, Thing>()
  for (const lane of lanes) {
    let from = 0
    for (const laneTurn of lane.turns) {
      let index = findTurn(turns, laneTurn, lane.rank, from, calls)
      if (index === -1) {
        index = placeByTime(turns, laneTurn, from)
        turns.splice(index, 0, { prompts: [], ranks: new Set(), at: laneTurn.at, things: [], usages: [] })
      }
      join(turns[index]!, laneTurn, lane.rank, calls)
      from = index + 1
    }
  }
  return turns
}

/** The same turn is one that shares a tool call, else one with the same prompt at about the same time, in order. */
function findTurn(
  turns: readonly Turn[],
  laneTurn: LaneTurn,
  rank: number,
  from: number,
  calls: Map<string, Thing>,
): number {
  for (const item of laneTurn.items) {
    const thing = item.kind === 'tool' && item.placed ? calls.get(item.entity) : undefined
    const index = thing && isPlaced(thing) ? turns.indexOf(thing.turn, from) : -1
    if (index !== -1) return index
  }
  const { prompt, at } = laneTurn
  const text = promptText(prompt)
  let closest = -1
  for (let index = from; index < turns.length; index++) {
    const turn = turns[index]!
    if (prompt && turn.prompts.some((other) => other.entity === prompt.entity)) return index
    // Two sources of one channel, such as two runs, never tell of the same prompt.
    if (turn.ranks.has(rank)) continue
    const distance = Math.abs(turn.at - at)
    // What came before any prompt belongs to the turn that was under way.
    const same = prompt
      ? distance <= closeMs && turn.prompts.some((other) => promptText(other) === text)
      : turn.at <= at
    if (same && (closest === -1 || distance < Math.abs(turns[closest]!.at - at))) closest = index
  }
  return closest
}

function placeByTime(turns: readonly Turn[], laneTurn: LaneTurn, from: number): number {
  const later = turns.findIndex((turn, index) => index >= from && turn.at > laneTurn.at)
  return later === -1 ? turns.length : later
}

function promptText(prompt: EventOf<'message'> | undefined): string {
  return (prompt?.content ?? [])
    .map((block) => (block.type === 'text' ? block.text : block.type))
    .join('\n')
    .trim()
}

/**
 * Adds one lane's turn to what better lanes know of it. Calls that both sides place cut the turn into stretches;
 * inside a stretch, the i-th text is the i-th text.
 */
function join(turn: Turn, laneTurn: LaneTurn, rank: number, calls: Map<string, Thing>): void {
  turn.ranks.add(rank)
  if (laneTurn.prompt) turn.prompts.push(laneTurn.prompt)
  for (const event of laneTurn.usages) turn.usages.push({ rank, event })

  const { entries, shared } = recognise(turn, laneTurn.items, calls)
  const merged: Thing[] = []
  let rest = turn.things
  let stretch: Entry[] = []
  const close = (end: number): void => {
    merged.push(...mergeStretch(turn, rest.slice(0, end), stretch))
    rest = rest.slice(end)
    stretch = []
  }
  for (const entry of entries) {
    if (!shared.has(entry)) stretch.push(entry)
    // A call that stands before an earlier boundary was shown in another order here: it cuts nothing.
    else if (rest.includes(entry.thing!)) {
      close(rest.indexOf(entry.thing!))
      merged.push(rest[0]!)
      rest = rest.slice(1)
    }
  }
  close(rest.length)
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
  const before = [...turn.things]
  for (const item of items) {
    if (item.kind !== 'tool') {
      entries.push({ item })
      continue
    }
    const thing =
      calls.get(item.entity) ?? (isCallEntity(item.entity) ? nthCall(before, item, counts) : undefined)
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

function nthCall(things: readonly Thing[], item: ToolItem, counts: Map<string, number>): Thing | undefined {
  const count = counts.get(item.call) ?? 0
  counts.set(item.call, count + 1)
  return things.filter((thing) =>
    thing.versions.some((other) => other.kind === 'tool' && other.call === item.call),
  )[count]
}

function mergeStretch(turn: Turn, known: readonly Thing[], entries: readonly Entry[]): Thing[] {
  const merged = [...known]
  const free = known.filter((thing) => thing.kind !== 'tool')
  const named = new Set(entries.map((entry) => entry.item.entity))
  let last = -1
  for (const { item, thing: moved } of entries) {
    const counterpart = item.kind === 'tool' ? undefined : findCounterpart(free, item, named)
    if (counterpart) {
      counterpart.versions.push(item)
      free.splice(free.indexOf(counterpart), 1)
      last = Math.max(last, merged.indexOf(counterpart))
      continue
    }
    const thing = moved ?? { kind: item.kind, versions: [item], turn }
    thing.turn = turn
    merged.splice(++last, 0, thing)
  }
  return merged
}

/** The same entity if a lane names it, else the next of its kind that no other entry names. */
function findCounterpart(free: readonly Thing[], item: Item, named: Set<string>): Thing | undefined {
  const sameKind = free.filter((thing) => thing.kind === item.kind)
  const isNamed = (thing: Thing) => thing.versions.some((version) => named.has(version.entity))
  return (
    sameKind.find((thing) => thing.versions.some((version) => version.entity === item.entity)) ??
    sameKind.find((thing) => !isNamed(thing) && (item.kind !== 'note' || saysTheSame(thing, item)))
  )
}

function saysTheSame(thing: Thing, note: NoteItem): boolean {
  const words = JSON.stringify(note.content)
  return thing.versions.some((other) => other.kind === 'note' && JSON.stringify(other.content) === words)
}

function isPlaced(thing: Thing): boolean {
  return thing.versions.some((item) => item.kind === 'tool' && item.placed)
}
