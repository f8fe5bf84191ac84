import { channels } from '../model/constants.ts'
import type { EventOf } from '../model/event.ts'
import type { Block, MediaBlock, Message, TextBlock, ThinkingBlock, ToolUseBlock } from '../model/message.ts'
import type { Usage } from '../model/usage.ts'
import { type Asks, getCallKeys } from './asks.ts'
import type { Item, MediaItem, NoteItem, TextItem, ToolItem } from './lane.ts'
import type { Thing, LaneUsage, Turn } from './merge.ts'

/** What a turn needs to know about the rest of its session. */
export interface TurnContext {
  readonly agent: string
  /** The call that started the sub-agent whose turn it is. */
  readonly parent: string | undefined
  readonly asks: Asks
  /** When the next turn starts. */
  readonly until: number
  /** Metadata of an assistant message, from the most reliable lane that has it. */
  getHead(id: string): EventOf<'message'> | undefined
  getUsage(id: string): EventOf<'usage'> | undefined
  /** How many messages of earlier turns have this id. */
  countEarlier(id: string): number
}

/** The messages of one turn. */
export interface BuiltTurn {
  readonly messages: readonly Message[]
  /** How often each id occurs, before equal ones are numbered. */
  readonly ids: ReadonlyMap<string, number>
  readonly calls: readonly BuiltCall[]
}

/** One tool call of a turn, by the keys under which asks name it. */
export interface BuiltCall {
  readonly id: string
  /** Whether the call itself is shown, and not only its result. */
  readonly isShown: boolean
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
  readonly keys: readonly string[]
}

/** An assistant message under construction; its blocks are kept apart because their order is fixed. */
interface Draft {
  id: string | undefined
  readonly fallback: string
  readonly at: number
  readonly thinking: Block[]
  readonly text: Block[]
  readonly tools: Block[]
  interrupted: boolean
  readonly raws: unknown[]
}

export function buildTurn(turn: Turn, context: TurnContext): BuiltTurn {
  const { agent, parent } = context
  const messages: Message[] = []
  const ids = new Map<string, number>()
  const calls: BuiltCall[] = []
  const push = (message: Message): void => {
    // A native message with text after its calls becomes two messages, which need two ids.
    const here = ids.get(message.id) ?? 0
    ids.set(message.id, here + 1)
    const count = here + context.countEarlier(message.id)
    if (count > 0) message.id = `${message.id}/${count}`
    if (parent !== undefined) message.parent = parent
    messages.push(message)
  }
  const prompt = turn.prompts[0]
  if (prompt && turn.removedBy === undefined)
    push({
      id: prompt.entity,
      role: 'user',
      content: prompt.content ?? [],
      timestamp: prompt.at,
      tool: agent,
      ...(turn.droppedBy === undefined ? {} : { interrupted: true as const }),
      _original: turn.prompts.flatMap((event) => (event.raw === undefined ? [] : [event.raw])),
    })
  let draft: Draft | undefined
  const close = (): void => {
    if (draft) push(finishDraft(draft, context))
    draft = undefined
  }
  for (const thing of turn.things) {
    if (isRemoved(thing, turn)) continue
    if (thing.kind === 'note') {
      close()
      push(buildNote(agent, thing))
      continue
    }
    const id = getNativeMessage(thing)
    const blocks = buildBlocks(thing, turn, context, calls)
    if (blocks.length === 0) continue
    const otherMessage = id !== undefined && draft?.id !== undefined && draft.id !== id
    if (otherMessage || (thing.kind !== 'tool' && draft && draft.tools.length > 0)) close()
    draft ??= {
      id,
      fallback: thing.versions[0]!.entity,
      at: thing.versions[0]!.at,
      thinking: [],
      text: [],
      tools: [],
      interrupted: false,
      raws: [],
    }
    draft.id ??= id
    if (isDropped(thing, turn)) draft.interrupted = true
    const list = thing.kind === 'thinking' ? draft.thinking : thing.kind === 'tool' ? draft.tools : draft.text
    for (const block of blocks) list.push(block)
    for (const { raws } of thing.versions) for (const raw of raws) draft.raws.push(raw)
  }
  close()
  return { messages, ids, calls }
}

/** Whether the user undid it, according to the most reliable lane; a thing that this lane lacks shares the fate of the prompt. */
function isRemoved({ versions: [best] }: Thing, turn: Turn): boolean {
  return best!.removed || (turn.removedBy !== undefined && best!.rank !== turn.removedBy)
}

/** Whether the agent dropped it, according to the most reliable lane. The result of a call shows how the call ended. */
function isDropped({ versions: [best] }: Thing, { droppedBy }: Turn): boolean {
  if (droppedBy !== undefined && best!.rank !== droppedBy) return true
  return best!.dropped && !(best!.kind === 'tool' && best!.result !== undefined)
}

/** The last usage that each lane reports for an entity, since a lane reports it again when it grows. */
export function listLatestUsages(turn: Turn): LaneUsage[] {
  const latest = new Map<string, LaneUsage>()
  for (const usage of turn.usages)
    latest.set(`${usage.lane.rank} ${usage.event.scope} ${usage.event.entity}`, usage)
  return [...latest.values()]
}

function getNativeMessage(thing: Thing): string | undefined {
  return thing.versions.find((item) => item.message !== undefined)?.message
}

function finishDraft(draft: Draft, { agent, getHead, getUsage }: TurnContext): Message {
  const id = draft.id ?? draft.fallback
  const head = getHead(id)
  const usage = getUsage(id)
  const model = head?.model ?? usage?.model
  return {
    id,
    role: 'assistant',
    content: [...draft.thinking, ...draft.text, ...draft.tools],
    timestamp: head?.at ?? draft.at,
    tool: agent,
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage: usage.usage satisfies Usage }),
    ...(draft.interrupted ? { interrupted: true as const } : {}),
    _original: [...(head?.raw === undefined ? [] : [head.raw]), ...draft.raws],
  }
}

function buildNote(agent: string, thing: Thing): Message {
  const note = thing.versions[0] as NoteItem
  return {
    id: note.entity,
    role: note.role,
    content: note.content,
    timestamp: note.at,
    tool: agent,
    ...(note.context ? { context: true as const } : {}),
    _original: thing.versions.flatMap((item) => item.raws),
  }
}

function buildBlocks(thing: Thing, turn: Turn, context: TurnContext, calls: BuiltCall[]): Block[] {
  switch (thing.kind) {
    case 'text':
    case 'thinking':
      return buildTextBlocks(thing.versions as TextItem[])
    case 'media':
      return [buildMediaBlock(thing.versions as MediaItem[])]
    case 'tool':
      return buildToolBlocks(thing.versions as ToolItem[], turn, context, calls)
    default:
      return []
  }
}

/** Uses the finished version of the most reliable lane, else its unfinished text, marked as partial. */
function buildTextBlocks(versions: readonly TextItem[]): Block[] {
  const written = versions.filter((item) => item.buffer.toString() !== '')
  const best = written.find((item) => item.finished) ?? written[0]
  if (!best) return []
  const isWhole = best.finished && !versions.some(({ interrupted }) => interrupted)
  const partial = isWhole ? {} : { partial: true as const }
  const text = best.buffer.toString()
  if (best.last.type === 'text') return [{ type: 'text', text, ...partial } satisfies TextBlock]
  const { subject, description } = best.last
  return [
    {
      type: 'thinking',
      thinking: text,
      ...(subject === undefined ? {} : { subject }),
      ...(description === undefined ? {} : { description }),
      ...partial,
    } satisfies ThinkingBlock,
  ]
}

function buildMediaBlock(versions: readonly MediaItem[]): MediaBlock {
  const { kind, source, name } = versions[0]!.event
  return { type: kind, source, ...(name === undefined ? {} : { name }) }
}

/** Output and status come from the most reliable lane that has them, times from the channels that observe the call. */
function buildToolBlocks(
  versions: readonly ToolItem[],
  turn: Turn,
  { asks, until }: TurnContext,
  calls: BuiltCall[],
): Block[] {
  const id = versions.map((item) => item.entity).sort(compareIds)[0]!
  const use = versions.find((item) => item.use)?.use
  const results = versions.flatMap((item) => (item.result ? [item.result] : []))
  const startedAt = findTime(versions, (item) => item.use?.at)
  const endedAt = findTime(versions, (item) => item.result?.at)
  const blocks: Block[] = []
  calls.push({ id, isShown: use !== undefined, startedAt, endedAt, keys: getCallKeys(id, use) })
  if (use) {
    const block: ToolUseBlock = {
      type: 'tool_use',
      id,
      name: use.name,
      input: use.input,
      ...(use.native ? { native: use.native } : {}),
    }
    if (startedAt !== undefined)
      block.startedAt = endedAt === undefined ? startedAt : asks.skipWaits(id, use, startedAt, endedAt)
    blocks.push(block)
  }
  const first = results[0]
  if (first) {
    const content =
      results.find((result) => result.content !== undefined && result.content !== '')?.content ??
      first.content
    const status =
      first.status !== 'success' && asks.isDenied(id, use, turn.at, until) ? 'denied' : first.status
    const display = results.find((result) => result.display !== undefined)?.display
    blocks.push({
      type: 'tool_result',
      tool_use_id: id,
      ...(content === undefined ? {} : { content }),
      status,
      is_error: status !== 'success',
      ...(display === undefined ? {} : { display }),
      ...(endedAt === undefined ? {} : { endedAt }),
    })
  }
  return blocks
}

/** Channels by the accuracy of their times: hooks run immediately, transcripts may be written much later. */
const channelsByTime = ['hooks', 'acp', 'headless', 'terminal', 'transcripts'] as const

function findTime<T extends Item>(
  versions: readonly T[],
  time: (item: T) => number | undefined,
): number | undefined {
  for (const channel of channelsByTime) {
    for (const item of versions)
      if (channels[item.rank] === channel && time(item) !== undefined) return time(item)
  }
  return undefined
}

/** Sorts ids of the agent before ids that are made of name and input. */
function compareIds(a: string, b: string): number {
  return Number(a.startsWith('call:')) - Number(b.startsWith('call:'))
}
