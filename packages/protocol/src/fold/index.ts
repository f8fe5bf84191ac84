import { originId } from '../constants.ts'
import type { Event, EventOf } from '../event.ts'
import type { Message } from '../message.ts'
import { addUsage } from '../add-usage.ts'
import type { Usage } from '../usage.ts'
import { Denials } from './denials.ts'
import { type Lane, readLane } from './lane.ts'
import { type Turn, mergeLanes } from './merge.ts'
import { buildMessages, latestUsages } from './messages.ts'
import { skipWaits } from './skip-waits.ts'

/**
 * Turns events, from any channels and in any interleaving that keeps each source's order, into messages.
 * Repeats change nothing, and neither does the way in which text was cut.
 *
 * @example const messages = fold(await ledger.read({ session }))
 */
export function fold(all: Iterable<Event>): Message[] {
  const events = [...all]
  const messages = conversations(events).flatMap(({ agent, denials, root, children }) => {
    const build = ({ lanes, turns }: Thread) => buildMessages(agent, lanes, turns, denials)
    const under = new Map([...children].map(([parent, thread]) => [parent, build(thread)]))
    const placed: Message[] = []
    const place = (messages: readonly Message[]): void => {
      for (const message of messages) {
        placed.push(message)
        for (const block of message.content) {
          if (block.type === 'tool_use') placeUnder(block.id)
        }
      }
    }
    const placeUnder = (parent: string): void => {
      const messages = under.get(parent) ?? []
      under.delete(parent)
      place(messages.map((message) => ({ ...message, parent })))
    }
    place(build(root))
    // What no call is known for stands at the end.
    for (const parent of under.keys()) placeUnder(parent)
    return placed
  })
  return skipWaits(messages, events)
}

/**
 * What a conversation cost. Of each turn the finest scope counts, as the best channel tells it; scopes are never added.
 *
 * @example totalUsage(events).inputTokens
 */
export function totalUsage(events: Iterable<Event>): Usage {
  let total: Usage = {}
  for (const { root, children } of conversations(events))
    for (const thread of [root, ...children.values()])
      for (const event of countedUsages(thread)) total = addUsage(total, event.usage)
  return total
}

function countedUsages({ turns }: Thread): EventOf<'usage'>[] {
  const told = turns.map(latestUsages)
  // A run's total repeats what the same source told turn by turn.
  const finer = new Set(told.flat().flatMap(({ lane, event }) => (event.scope === 'run' ? [] : [lane])))
  return told.flatMap((usages) => {
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

interface Thread {
  readonly lanes: Lane[]
  readonly turns: Turn[]
}

interface Conversation {
  readonly agent: string
  readonly denials: Denials
  readonly root: Thread
  /** What sub-agents said, by the tool call that started them. */
  readonly children: Map<string, Thread>
}

function conversations(events: Iterable<Event>): Conversation[] {
  const seen = new Set<string>()
  const groups = new Map<string, Map<string, Event[]>>()
  /** The calls that started sub-agents, by the names that these have for themselves. */
  const starters = new Map<string, string>()
  for (const event of events) {
    const origin = originId(event.origin)
    const id = JSON.stringify([event.agent, event.session])
    if (seen.has(id + origin)) continue
    seen.add(id + origin)
    if ('subagent' in event && event.subagent !== undefined)
      starters.set(JSON.stringify([id, event.subagent]), event.entity)
    const threads = getOrSet(groups, id, () => new Map<string, Event[]>())
    getOrSet(threads, event.parent ?? '', () => []).push(event)
  }
  return [...groups]
    .map(([id, named]) => {
      const threads = new Map<string, Event[]>()
      for (const [name, list] of named) {
        const parent = starters.get(JSON.stringify([id, name])) ?? name
        const thread = getOrSet(threads, parent, () => [])
        for (const event of list) thread.push(event)
      }
      const children = [...threads]
        .filter(([parent]) => parent !== '')
        .sort(([a, left], [b, right]) => earliest(left) - earliest(right) || (a < b ? -1 : 1))
      return {
        id,
        first: earliest([...threads.values()].flat()),
        agent: [...threads.values()][0]![0]!.agent,
        denials: new Denials([...threads.values()].flat()),
        root: readThread(threads.get('') ?? []),
        children: new Map(children.map(([parent, list]) => [parent, readThread(list)])),
      }
    })
    .sort((a, b) => a.first - b.first || (a.id < b.id ? -1 : 1))
}

/** The best channel first, then the earlier source: an order that does not depend on which event arrived first. */
function readThread(events: readonly Event[]): Thread {
  const sources = new Map<string, Event[]>()
  for (const event of events)
    getOrSet(sources, JSON.stringify([event.origin.channel, event.origin.source]), () => []).push(event)
  const lanes = [...sources]
    .map(([source, list]) => ({ source, first: earliest(list), lane: readLane(list) }))
    .sort((a, b) => a.lane.rank - b.lane.rank || a.first - b.first || (a.source < b.source ? -1 : 1))
    .map(({ lane }) => lane)
  return { lanes, turns: mergeLanes(lanes) }
}

function earliest(events: readonly Event[]): number {
  let first = Infinity
  for (const event of events) first = Math.min(first, event.at)
  return first
}

function getOrSet<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = make()))
  return value
}
