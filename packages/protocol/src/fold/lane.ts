import { channels } from '../constants.ts'
import type { Event, EventOf } from '../event.ts'
import type { Block, Role } from '../message.ts'
import { callEntity, isCallEntity } from './call.ts'
import { repeatedTurns } from './repeated-turns.ts'
import { TextBuffer } from './text-buffer.ts'

/** One source's view of a conversation: what it told, in its own order, cut into turns. */
export interface Lane {
  /** The lower, the better it knows. */
  readonly rank: number
  readonly turns: LaneTurn[]
  /** What it says of assistant messages as a whole, by their native id. */
  readonly messages: Map<string, EventOf<'message'>>
}

export interface LaneTurn {
  prompt?: EventOf<'message'>
  /** Whether the prompt was taken back. */
  removed: boolean
  readonly at: number
  readonly items: Item[]
  readonly usages: EventOf<'usage'>[]
}

interface ItemBase {
  readonly rank: number
  readonly entity: string
  readonly message?: string | undefined
  at: number
  /** Whether it was taken back after it had been told. */
  removed: boolean
  readonly raws: unknown[]
}

export interface TextItem extends ItemBase {
  readonly kind: 'text' | 'thinking'
  readonly buffer: TextBuffer
  finished: boolean
  last: EventOf<'text'> | EventOf<'thinking'>
}

export interface MediaItem extends ItemBase {
  readonly kind: 'media'
  event: EventOf<'media'>
}

export interface ToolItem extends ItemBase {
  readonly kind: 'tool'
  /** Name and canonical input, to find the call by where a channel has no id. */
  call: string
  /** The same in Claude's words, which are equal for channels that have names of their own for it. */
  claudeCall: string
  /** Whether its id means nothing outside this source. */
  readonly local: boolean
  placed: boolean
  use?: EventOf<'tool_use'>
  result?: EventOf<'tool_result'>
}

/** What is neither the person's nor the assistant's word: context, notices, errors. */
export interface NoteItem extends ItemBase {
  readonly kind: 'note'
  role: Role
  context: boolean
  content: Block[]
}

export type Item = TextItem | MediaItem | ToolItem | NoteItem

/** Reads the events of one source, in order and without repeats. */
export function readLane(events: readonly Event[]): Lane {
  const { channel, source } = events[0]!.origin
  const reader = new LaneReader(channels.indexOf(channel), source)
  for (const event of events) reader.read(event)
  for (const turn of reader.lane.turns) finishBeforeTools(turn)
  return reader.lane
}

interface Rewound {
  readonly to?: string
  readonly keep?: readonly string[]
}

class LaneReader {
  readonly lane: Lane
  readonly #source: string
  readonly #prompts = new Map<string, LaneTurn>()
  readonly #items = new Map<string, Item>()
  /** The last item of each message, beside which its next one belongs. */
  readonly #last = new Map<string, Item>()
  /** Calls of this turn that have no id and no result yet, by their entity. */
  readonly #waiting = new Map<string, ToolItem[]>()
  /** Turns that were told again under another id, by that id. */
  readonly #repeated = new Map<string, LaneTurn>()

  constructor(rank: number, source: string) {
    this.#source = `${source}/`
    this.lane = { rank, turns: [], messages: new Map() }
  }

  read(event: Event): void {
    const item = this.#apply(event)
    if (item && event.raw !== undefined) item.raws.push(event.raw)
  }

  #apply(event: Event): Item | undefined {
    switch (event.type) {
      case 'message':
        return this.#message(event)
      case 'text':
      case 'thinking':
        return this.#text(event)
      case 'media': {
        const item = this.#find<MediaItem>(event, () => ({
          ...this.#base(event, event.message),
          kind: 'media',
          event,
        }))
        item.event = event
        return item
      }
      case 'tool_use': {
        const item = this.#tool(event, event.placed !== false)
        item.use = event
        item.call = callEntity(event.native?.name ?? event.name, event.native?.input ?? event.input)
        item.claudeCall = callEntity(event.name, event.input)
        item.placed ||= event.placed !== false
        return item
      }
      case 'tool_result': {
        const item = this.#tool(event, false)
        item.result = event
        return item
      }
      case 'error':
        return this.#note(event, 'system', [{ type: 'text', text: event.message }], false)
      case 'status':
        if (event.status === 'rewound') this.#rewind(event.value as Rewound | undefined)
        return undefined
      case 'usage':
        this.#turn(event.at).usages.push(event)
        return undefined
      case 'done':
        if (event.ok)
          for (const item of this.#turn(event.at).items) if ('buffer' in item) item.finished = true
        return undefined
      default:
        return undefined
    }
  }

  #message(event: EventOf<'message'>): Item | undefined {
    if (event.role === 'assistant') {
      this.lane.messages.set(event.entity, event)
      return undefined
    }
    if (event.role === 'system' || event.context)
      return this.#note(event, event.role, event.content ?? [], event.context === true)
    if (this.#repeated.has(event.entity)) return undefined
    const known = this.#prompts.get(event.entity)
    if (known) {
      known.prompt = event
      known.removed = false
      return undefined
    }
    const turn: LaneTurn = { prompt: event, removed: false, at: event.at, items: [], usages: [] }
    this.#prompts.set(event.entity, turn)
    this.#waiting.clear()
    this.lane.turns.push(turn)
    return undefined
  }

  #text(event: EventOf<'text'> | EventOf<'thinking'>): TextItem {
    const item = this.#find<TextItem>(event, () => ({
      ...this.#base(event, event.message),
      kind: event.type,
      buffer: new TextBuffer(),
      finished: false,
      last: event,
    }))
    item.buffer.write(event.offset, event.text)
    if (event.final) {
      item.buffer.end(event.offset + event.text.length)
      item.finished = true
    }
    item.last = event
    return item
  }

  #note(event: Event, role: Role, content: Block[], context: boolean): NoteItem {
    const item = this.#find<NoteItem>(event, () => ({
      ...this.#base(event),
      kind: 'note',
      role,
      content,
      context,
    }))
    return Object.assign(item, { role, content, context })
  }

  #tool(event: EventOf<'tool_use'> | EventOf<'tool_result'>, placed: boolean): ToolItem {
    const message = event.type === 'tool_use' && placed ? event.message : undefined
    const make = (): ToolItem => ({
      ...this.#base(event, message),
      kind: 'tool',
      call: event.entity,
      claudeCall: event.entity,
      local: event.entity.startsWith(this.#source),
      placed,
    })
    if (!isCallEntity(event.entity)) return this.#find(event, make, 'tool')
    // Without an id, a start is always a new call, and a result belongs to the first call that still waits for one.
    const waiting = this.#waiting.get(event.entity) ?? []
    const first = event.type === 'tool_result' ? waiting.shift() : undefined
    if (first) return first
    const item = make()
    this.#place(item)
    if (event.type === 'tool_use') waiting.push(item)
    this.#waiting.set(event.entity, waiting)
    return item
  }

  #base(event: Event, message?: string) {
    return { rank: this.lane.rank, entity: event.entity, message, at: event.at, removed: false, raws: [] }
  }

  /** The item that this entity is already, or a new one. */
  #find<T extends Item>(event: Event, make: () => T, kind: string = event.type): T {
    const key = `${kind} ${event.entity}`
    const known = this.#items.get(key) as T | undefined
    if (known) {
      known.removed = false
      return known
    }
    const item = make()
    this.#items.set(key, item)
    this.#place(item)
    return item
  }

  /** Puts a new item beside the others of its message, else at the end. */
  #place(item: Item): void {
    const { items } = this.#turn(item.at)
    const { message } = item
    const beside = message === undefined ? undefined : this.#last.get(message)
    const index = beside === undefined ? -1 : items.lastIndexOf(beside)
    items.splice(index === -1 ? items.length : index + 1, 0, item)
    if (message !== undefined) this.#last.set(message, item)
  }

  /** Marks what was taken back: it stays, so that other channels' word of it is recognised and goes as well. */
  #rewind(value: Rewound | undefined): void {
    const keep = value?.keep && this.#recognise(value.keep)
    const all = this.lane.turns.flatMap((turn) => [
      { of: turn, id: turn.prompt?.entity, note: false },
      ...turn.items.map((item) => ({
        of: item,
        id: idOf(item),
        // The CLI's own notices are in no list of messages.
        note: item.kind === 'note' && !item.context,
      })),
    ])
    const first = keep
      ? 0
      : Math.max(
          0,
          all.findIndex(({ id }) => id === value?.to),
        )
    for (const { of, id, note } of all.slice(first))
      if (!keep) of.removed = true
      else if (!note) of.removed = id === undefined || !keep.has(id)
  }

  /**
   * The ids that a new list of messages keeps, and those of turns that it tells again under other ids: they stay as they
   * were, with their times and with what the list leaves out.
   */
  #recognise(ids: readonly string[]): Set<string> {
    const keep = new Set(ids)
    const stay = (turn: LaneTurn): void => {
      for (const id of [turn.prompt!.entity, ...turn.items.map(idOf)]) keep.add(id)
    }
    for (const id of ids) {
      const turn = this.#repeated.get(id)
      if (turn) stay(turn)
    }
    const repeated = repeatedTurns(this.lane.turns, keep)
    for (const [turn, original] of repeated) {
      stay(original)
      this.#repeated.set(turn.prompt!.entity, original)
    }
    const others = this.lane.turns.filter((turn) => !repeated.has(turn))
    this.lane.turns.splice(0, this.lane.turns.length, ...others)
    return keep
  }

  /** The turn under way; what comes before any prompt gets one without. */
  #turn(at: number): LaneTurn {
    if (this.lane.turns.length === 0) this.lane.turns.push({ removed: false, at, items: [], usages: [] })
    return this.lane.turns.at(-1)!
  }
}

function idOf(item: Item): string {
  return item.message ?? item.entity
}

/** An agent that went on to a tool had said all it wanted to say before it. */
function finishBeforeTools(turn: LaneTurn): void {
  const lastTool = turn.items.findLastIndex((item) => item.kind === 'tool' && item.placed)
  for (const item of turn.items.slice(0, lastTool + 1)) if ('buffer' in item) item.finished = true
}
