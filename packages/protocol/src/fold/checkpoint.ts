import type { Event } from '../model/event.ts'
import type { Message } from '../model/message.ts'
import { isCallEntity } from './call.ts'
import { getLaneName, getPromptText, isInterruption, isPrompt } from './lane.ts'
import { closeMs, skewMs } from './merge.ts'

/** A stored event and its position in the ledger. */
export interface Positioned {
  readonly seq: number
  readonly event: Event
}

/**
 * Divides a session into older turns and a tail, so that the tail can be folded alone: its messages are those of the whole
 * session from position `messages` on.
 */
export interface Checkpoint {
  /** The number of messages of the older turns. */
  readonly messages: number
  /** The latest time of older prompts, calls and asks. */
  readonly at: number
  /** Older prompts that a late record of another source could repeat: time and hash of the text. */
  readonly prompts: readonly (readonly [at: number, text: number])[]
  /** The positions of late events that belong to older turns. */
  readonly strays: readonly number[]
  /** The sources that were known when the session was divided, by channel and source. */
  readonly sources: Readonly<Record<string, CheckpointSource>>
}

/** How a checkpoint divides the events of one source. */
export interface CheckpointSource {
  /** The time of its earliest event; null if it has only events of sub-agents. */
  readonly first: number | null
  /** The position of its first event in the tail; null if all its events are older. */
  readonly cut: number | null
  /** Whether it has older turns. */
  readonly hasTurns: boolean
}

/** Whether an event belongs to the tail. @example events.filter((each) => isInTail(checkpoint, each)) */
export function isInTail({ sources, strays }: Checkpoint, { seq, event }: Positioned): boolean {
  if (strays.includes(seq)) return false
  const source = sources[getLaneName(event)]
  return source === undefined || (source.cut !== null && seq >= source.cut)
}

/** When each source began, for `SessionFold`. @example new SessionFold(getFirsts(checkpoint)) */
export function getFirsts({ sources }: Checkpoint): Map<string, number> {
  return new Map(Object.entries(sources).map(([name, { first }]) => [name, first ?? Infinity]))
}

/**
 * Checks whether events concern only the tail. An event that could change an older turn, or that an older turn could
 * change, is refused: then the session has to be folded from its start.
 */
export class TailGuard {
  readonly #checkpoint: Checkpoint
  readonly #hasKey: (key: number) => boolean
  readonly #started = new Set<string>()

  /** `hasKey` says whether older turns have a key. */
  constructor(checkpoint: Checkpoint, hasKey: (key: number) => boolean) {
    this.#checkpoint = checkpoint
    this.#hasKey = hasKey
  }

  /** Adds an event of the tail that needs no check, because it was checked when the checkpoint was stored. */
  add(event: Event): void {
    if (event.parent === undefined && isPrompt(event)) this.#started.add(getLaneName(event))
  }

  /** Adds a new event, unless it could concern older turns. */
  admits(event: Event): boolean {
    if (event.type === 'status' && event.status === 'rewound') return false
    const { at } = this.#checkpoint
    // It happened during an older turn, whatever turn its source is in.
    if (isDated(event) && event.at <= at) return false
    if (listTouchedKeys(event).some((key) => this.#hasKey(key))) return false
    if (event.parent === undefined && !this.#fits(event)) return false
    this.add(event)
    return true
  }

  /** Whether the messages of the tail have ids that no older message has, since equal ids are numbered. */
  admitsIds(messages: readonly Message[]): boolean {
    return !messages.some(({ id }) => this.#hasKey(hashMessageId(id)))
  }

  /** Whether an event belongs to a turn of the tail. */
  #fits(event: Event): boolean {
    const { at, prompts, sources } = this.#checkpoint
    const name = getLaneName(event)
    const source = sources[name]
    if (source && event.at < (source.first ?? -Infinity)) return false
    if (isPrompt(event)) {
      const text = hashText(getPromptText(event))
      const isAlike = prompts.some(([time, other]) => other === text && Math.abs(event.at - time) <= closeMs)
      return event.at > at + skewMs && !isAlike
    }
    if (this.#started.has(name)) return true
    if (changesTurn(event)) return false
    return !source?.hasTurns || !isInterruption(event)
  }
}

/** Whether the time of an event says to which turn it belongs. */
function isDated(event: Event): boolean {
  return changesTurn(event) || event.type === 'ask' || event.type === 'answer'
}

/** Whether an event changes the current turn of its source. */
export function changesTurn(event: Event): boolean {
  switch (event.type) {
    case 'message':
      return event.role !== 'assistant'
    case 'done':
      return event.ok
    case 'text':
    case 'thinking':
    case 'media':
    case 'tool_use':
    case 'tool_result':
    case 'error':
    case 'usage':
      return true
    default:
      return false
  }
}

/** What an event adds to the keys of its turn: the names by which later events could refer to it. */
export function listKeys(event: Event): number[] {
  const names = listNames(event)
  if (event.type === 'tool_use' || event.type === 'tool_result') names.push(event.entity)
  if (event.type === 'ask' && event.ask.toolUse !== undefined)
    names.push(isCallEntity(event.ask.toolUse) ? `denied ${event.ask.toolUse}` : event.ask.toolUse)
  return names.map(hashText)
}

/** The keys by which an event refers to others. Name and input do not identify a call of another turn. */
export function listTouchedKeys(event: Event): number[] {
  const names = listNames(event)
  if (event.type === 'tool_use' || event.type === 'tool_result')
    names.push(isCallEntity(event.entity) ? `denied ${event.entity}` : event.entity)
  if (event.type === 'ask' && event.ask.toolUse !== undefined) names.push(event.ask.toolUse)
  return names.map(hashText)
}

function listNames(event: Event): string[] {
  const names: string[] = []
  if (event.parent !== undefined) names.push(event.parent)
  if ('subagent' in event && event.subagent !== undefined) names.push(event.subagent)
  switch (event.type) {
    case 'message':
    case 'error':
      names.push(event.entity)
      break
    case 'text':
    case 'thinking':
    case 'media':
      names.push(event.entity)
      if (event.message !== undefined) names.push(event.message)
      break
    case 'tool_use':
      if (event.message !== undefined) names.push(event.message)
      break
    case 'usage':
      if (event.scope === 'message') names.push(event.entity)
      break
    case 'ask':
      names.push(`ask ${event.ask.id}`)
      break
    case 'answer':
      names.push(`ask ${event.answer.ask}`)
      break
    default:
  }
  return names
}

/** The key of a message. The id of a message may be a call that has no id itself. */
export function hashMessageId(id: string): number {
  return hashText(isCallEntity(id) ? `id ${id}` : id)
}

/** A 32-bit hash. Two texts with the same hash cost a fold of the whole session, and nothing else. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  // The last characters would otherwise change only the lower bits.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}
