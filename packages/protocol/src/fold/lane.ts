import { channels } from '../model/constants.ts'
import type { Event, EventOf } from '../model/event.ts'
import type { Block, Role } from '../model/message.ts'
import { callEntity, isCallEntity } from './call.ts'
import { findRepeatedTurns } from './repeated-turns.ts'
import type { Turn } from './merge.ts'

/** The events of one source, in its own order, cut into turns. */
export interface Lane {
  /** Index of the channel in `channels`: the lower, the more reliable. */
  readonly rank: number
  readonly source: string
  /** The time of its earliest event. */
  first: number
  readonly turns: LaneTurn[]
  /** Metadata of assistant messages, by their native id. */
  readonly messages: Map<string, EventOf<'message'>>
}

export interface LaneTurn {
  readonly lane: Lane
  /** Its position among the turns of its lane. */
  readonly number: number
  readonly previous: LaneTurn | undefined
  /** The merged turn that contains it. */
  merged?: Turn
  /** The keys of the prompt and the calls by which turns of other lanes are recognised as the same. */
  readonly links: Set<string>
  /** Whether the lane no longer has it, because it repeated another turn. */
  isDeleted?: boolean
  prompt?: EventOf<'message'>
  /** The text of the prompt, to compare it with the prompts of other lanes. */
  text: string
  /** Whether the user undid the prompt. */
  removed: boolean
  /** Whether the agent dropped the prompt from its memory, as after an interrupt. */
  dropped: boolean
  readonly at: number
  readonly items: Item[]
  readonly usages: EventOf<'usage'>[]
}

interface ItemBase {
  readonly rank: number
  readonly entity: string
  readonly message?: string | undefined
  at: number
  /** Whether the user undid it. */
  removed: boolean
  /** Whether the agent dropped it from its memory, as after an interrupt. */
  dropped: boolean
  readonly raws: unknown[]
  /** The turn that contains it. */
  turn?: LaneTurn
}

export interface TextItem extends ItemBase {
  readonly kind: 'text' | 'thinking'
  readonly buffer: TextBuffer
  finished: boolean
  /** Whether the turn was interrupted here: the text may be incomplete even if the agent recorded it as finished. */
  interrupted: boolean
  last: EventOf<'text'> | EventOf<'thinking'>
}

export interface MediaItem extends ItemBase {
  readonly kind: 'media'
  event: EventOf<'media'>
}

export interface ToolItem extends ItemBase {
  readonly kind: 'tool'
  /** Name and canonical input, which identify the call for channels without ids. */
  call: string
  /** Claude's name and input, which are equal for channels with different native names. */
  claudeCall: string
  /** Whether its id is valid only within this source. */
  readonly local: boolean
  placed: boolean
  use?: EventOf<'tool_use'>
  result?: EventOf<'tool_result'>
}

/** A message of neither the user nor the assistant: context, a notice or an error. */
export interface NoteItem extends ItemBase {
  readonly kind: 'note'
  role: Role
  context: boolean
  content: Block[]
}

export type Item = TextItem | MediaItem | ToolItem | NoteItem

interface Rewound {
  readonly to?: string
  readonly keep?: readonly string[]
  /** Everything outside `keep` is replaced or undone. */
  readonly exact?: boolean
}

/** Reads the events of one source, in order and without repeats, and collects what they change. */
export class LaneReader {
  readonly lane: Lane
  /** Turns that changed since the caller last cleared this set. */
  readonly changed = new Set<LaneTurn>()
  /** Whether turns were removed since the caller last reset this. */
  hasRemovedTurns = false
  #turns = 0
  readonly #prompts = new Map<string, LaneTurn>()
  readonly #items = new Map<string, Item>()
  /** The last item of each message, after which its next item belongs. */
  readonly #last = new Map<string, Item>()
  /** Calls of this turn without an id or a result, by their entity. */
  readonly #waiting = new Map<string, ToolItem[]>()
  /** Turns that were repeated under another id, by that id. */
  readonly #repeated = new Map<string, LaneTurn>()

  constructor({ channel, source }: Event['origin']) {
    const rank = channels.indexOf(channel)
    this.lane = { rank, source, first: Infinity, turns: [], messages: new Map() }
  }

  read(event: Event): void {
    this.lane.first = Math.min(this.lane.first, event.at)
    const item = this.#apply(event)
    if (item?.turn) this.changed.add(item.turn)
    if (item && event.raw !== undefined) item.raws.push(event.raw)
    if (isInterruption(event)) this.#interrupt()
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
        this.#changeTurn(event.at).usages.push(event)
        return undefined
      case 'done':
        if (event.ok)
          for (const item of this.#changeTurn(event.at).items) if ('buffer' in item) item.finished = true
        return undefined
      default:
        return undefined
    }
  }

  #interrupt(): void {
    const last = this.lane.turns.at(-1)?.items.findLast(({ kind }) => kind !== 'note')
    if (!last || !('buffer' in last)) return
    last.interrupted = true
    this.changed.add(last.turn!)
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
      known.text = getPromptText(event)
      known.removed = known.dropped = false
      this.changed.add(known)
      return undefined
    }
    this.#prompts.set(event.entity, this.#startTurn(event.at, event))
    this.#waiting.clear()
    return undefined
  }

  #text(event: EventOf<'text'> | EventOf<'thinking'>): TextItem {
    const item = this.#find<TextItem>(event, () => ({
      ...this.#base(event, event.message),
      kind: event.type,
      buffer: new TextBuffer(),
      finished: false,
      interrupted: false,
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
      local: event.entity.startsWith(`${this.lane.source}/`),
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
    const { entity, at } = event
    return { rank: this.lane.rank, entity, message, at, removed: false, dropped: false, raws: [] }
  }

  /** Finds the item of the entity, or creates one. */
  #find<T extends Item>(event: Event, make: () => T, kind: string = event.type): T {
    const key = `${kind} ${event.entity}`
    const known = this.#items.get(key) as T | undefined
    if (known) {
      known.removed = known.dropped = false
      return known
    }
    const item = make()
    this.#items.set(key, item)
    this.#place(item)
    return item
  }

  /** Places a new item after the others of its message, else at the end. */
  #place(item: Item): void {
    const turn = this.#changeTurn(item.at)
    const { items } = turn
    const { message } = item
    item.turn = turn
    const beside = message === undefined ? undefined : this.#last.get(message)
    const index = beside === undefined ? -1 : items.lastIndexOf(beside)
    items.splice(index === -1 ? items.length : index + 1, 0, item)
    if (message !== undefined) this.#last.set(message, item)
  }

  /** Marks parts as removed. They stay in the lane, so that the versions of other channels are recognised and removed too. */
  #rewind(value: Rewound | undefined): void {
    if (value?.keep) return this.#rewrite(this.#findKept(value.keep), value.exact === true)
    const all = this.lane.turns.flatMap((turn) => [turn, ...turn.items])
    const first = all.findIndex((part) => getId(part) === value?.to)
    for (const part of all.slice(Math.max(0, first))) this.#mark(part, true, part.dropped)
  }

  /**
   * Applies a new list of the agent's memory. A prompt or an answer that the list leaves out was shown to the user, so it
   * stays, marked, unless the list is exact.
   */
  #rewrite(keep: ReadonlySet<string>, exact: boolean): void {
    for (const part of this.lane.turns.flatMap((turn) => [turn, ...turn.items])) {
      const isNote = 'kind' in part && part.kind === 'note'
      const id = getId(part)
      const isKept = id !== undefined && keep.has(id)
      // The CLI's own notices are in the list of few agents.
      if (isNote && !part.context && !isKept) continue
      if (isKept) this.#mark(part, false, false)
      else if (exact || isNote) this.#mark(part, true, part.dropped)
      else if (!part.removed) this.#mark(part, false, true)
    }
  }

  #mark(part: LaneTurn | Item, removed: boolean, dropped: boolean): void {
    if (part.removed === removed && part.dropped === dropped) return
    part.removed = removed
    part.dropped = dropped
    this.changed.add('kind' in part ? part.turn! : part)
  }

  /**
   * Finds the ids that a new list of messages keeps, and those of turns that it repeats under other ids: these turns stay
   * as they were, with their times and with the parts that the list leaves out.
   */
  #findKept(ids: readonly string[]): Set<string> {
    const keep = new Set(ids)
    const stay = (turn: LaneTurn): void => {
      for (const part of [turn, ...turn.items]) keep.add(getId(part)!)
    }
    for (const id of ids) {
      const turn = this.#repeated.get(id)
      if (turn) stay(turn)
    }
    const repeated = findRepeatedTurns(this.lane.turns, keep)
    for (const [turn, original] of repeated) {
      stay(original)
      this.#repeated.set(turn.prompt!.entity, original)
    }
    if (repeated.size > 0) {
      this.hasRemovedTurns = true
      for (const turn of repeated.keys()) turn.isDeleted = true
      const others = this.lane.turns.filter((turn) => !repeated.has(turn))
      this.lane.turns.length = 0
      for (const turn of others) this.lane.turns.push(turn)
    }
    return keep
  }

  /** The current turn, which the caller changes. Events before any prompt get a turn without one. */
  #changeTurn(at: number): LaneTurn {
    const turn = this.lane.turns.at(-1) ?? this.#startTurn(at)
    this.changed.add(turn)
    return turn
  }

  #startTurn(at: number, prompt?: EventOf<'message'>): LaneTurn {
    const turn: LaneTurn = {
      lane: this.lane,
      number: this.#turns++,
      previous: this.lane.turns.at(-1),
      links: new Set(),
      ...(prompt && { prompt }),
      text: prompt ? getPromptText(prompt) : '',
      removed: false,
      dropped: false,
      at,
      items: [],
      usages: [],
    }
    this.lane.turns.push(turn)
    this.changed.add(turn)
    return turn
  }
}

/** Whether an event starts a turn. @example isPrompt(event) */
export function isPrompt(event: Event): event is EventOf<'message'> {
  return event.type === 'message' && event.role === 'user' && !event.context
}

/** The name of the lane of an event. @example getLaneName(event) // 'hooks spool' */
export function getLaneName({ origin }: Event): string {
  return `${origin.channel} ${origin.source}`
}

export function getPromptText({ content = [] }: EventOf<'message'>): string {
  return content
    .map((block) => (block.type === 'text' ? block.text : block.type))
    .join('\n')
    .trim()
}

/** The id of a prompt or an item in a list of messages. A call may have moved to another message. */
function getId(part: LaneTurn | Item): string | undefined {
  if (!('kind' in part)) return part.prompt?.entity
  return (part.kind === 'tool' ? part.use?.message : undefined) ?? part.message ?? part.entity
}

/** An agent that calls a tool has finished the text before the call. */
export function finishBeforeTools(turn: LaneTurn): void {
  const lastTool = turn.items.findLastIndex((item) => item.kind === 'tool' && item.placed)
  for (const item of turn.items.slice(0, lastTool + 1)) if ('buffer' in item) item.finished = true
}

/** Whether an event reports that the user stopped the turn. @example isInterruption(event) */
export function isInterruption(event: Event): boolean {
  if (event.type === 'status')
    return event.status === 'idle' && ['cancelled', 'interrupted'].includes(event.detail ?? '')
  if (event.type === 'error') return event.code === 'aborted'
  return event.type === 'done' && event.stopReason === 'cancelled'
}

/** The text of one entity, written in pieces. Appending a piece does not copy the text. */
export class TextBuffer {
  #pieces: string[] = []
  #length = 0

  /** Overwrites the text at `offset`. A piece beyond the end is appended, since the text between them is lost. */
  write(offset: number, text: string): void {
    if (offset >= this.#length) {
      this.#pieces.push(text)
      this.#length += text.length
      return
    }
    const whole = this.toString()
    this.#set(whole.slice(0, offset) + text + whole.slice(offset + text.length))
  }

  /** Cuts the text to `length`, if a later record is shorter than an earlier one. */
  end(length: number): void {
    if (length < this.#length) this.#set(this.toString().slice(0, length))
  }

  toString(): string {
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join('')]
    return this.#pieces[0] ?? ''
  }

  #set(text: string): void {
    this.#pieces = [text]
    this.#length = text.length
  }
}
