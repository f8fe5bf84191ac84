import { channels } from '../constants.ts'
import type { EventOf } from '../event.ts'
import type { Block, MediaBlock, Message, TextBlock, ThinkingBlock, ToolUseBlock } from '../message.ts'
import type { Usage } from '../usage.ts'
import { type Asks, getCallKeys } from './asks.ts'
import type { Item, MediaItem, NoteItem, TextItem, ToolItem } from './lane.ts'
import type { Thing, ToldUsage, Turn } from './merge.ts'

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
    if (isTakenBack(thing, turn)) continue
    if (thing.kind === 'note') {
      close()
      push(noteMessage(agent, thing))
      continue
    }
    const id = nativeMessage(thing)
    const blocks = thingBlocks(thing, turn, context, calls)
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
    if (isCutOff(thing, turn)) draft.interrupted = true
    const list = thing.kind === 'thinking' ? draft.thinking : thing.kind === 'tool' ? draft.tools : draft.text
    for (const block of blocks) list.push(block)
    for (const { raws } of thing.versions) for (const raw of raws) draft.raws.push(raw)
  }
  close()
  return { messages, ids, calls }
}

/** By the word of the lane that knows best; of what that lane never told, by its word of the prompt. */
function isTakenBack({ versions: [best] }: Thing, turn: Turn): boolean {
  return best!.removed || (turn.removedBy !== undefined && best!.rank !== turn.removedBy)
}

/** By the word of the lane that knows best. A call that has a result says itself how it ended. */
function isCutOff({ versions: [best] }: Thing, { droppedBy }: Turn): boolean {
  if (droppedBy !== undefined && best!.rank !== droppedBy) return true
  return best!.dropped && !(best!.kind === 'tool' && best!.result !== undefined)
}

/** A lane tells the usage of an entity again when it grows; the last word of each lane counts. */
export function latestUsages(turn: Turn): ToldUsage[] {
  const latest = new Map<string, ToldUsage>()
  for (const told of turn.usages)
    latest.set(`${told.lane.rank} ${told.event.scope} ${told.event.entity}`, told)
  return [...latest.values()]
}

function nativeMessage(thing: Thing): string | undefined {
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

function noteMessage(agent: string, thing: Thing): Message {
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

function thingBlocks(thing: Thing, turn: Turn, context: TurnContext, calls: BuiltCall[]): Block[] {
  switch (thing.kind) {
    case 'text':
    case 'thinking':
      return textBlocks(thing.versions as TextItem[])
    case 'media':
      return [mediaBlock(thing.versions as MediaItem[])]
    case 'tool':
      return toolBlocks(thing.versions as ToolItem[], turn, context, calls)
    default:
      return []
  }
}

/** The finished version of the best lane wins; with none finished, the best lane's live text stays, marked. */
function textBlocks(versions: readonly TextItem[]): Block[] {
  const told = versions.filter((item) => item.buffer.toString() !== '')
  const best = told.find((item) => item.finished) ?? told[0]
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

function mediaBlock(versions: readonly MediaItem[]): MediaBlock {
  const { kind, source, name } = versions[0]!.event
  return { type: kind, source, ...(name === undefined ? {} : { name }) }
}

/** Output and status come from the best lane that has them, times from the channels that were there. */
function toolBlocks(
  versions: readonly ToolItem[],
  turn: Turn,
  { asks, until }: TurnContext,
  calls: BuiltCall[],
): Block[] {
  const id = versions.map((item) => item.entity).sort(byOwnId)[0]!
  const use = versions.find((item) => item.use)?.use
  const results = versions.flatMap((item) => (item.result ? [item.result] : []))
  const startedAt = witness(versions, (item) => item.use?.at)
  const endedAt = witness(versions, (item) => item.result?.at)
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

/** Hooks run at the very moment; transcripts may be written long after. */
const witnesses = ['hooks', 'acp', 'headless', 'terminal', 'transcripts'] as const

function witness<T extends Item>(
  versions: readonly T[],
  time: (item: T) => number | undefined,
): number | undefined {
  for (const channel of witnesses) {
    for (const item of versions)
      if (channels[item.rank] === channel && time(item) !== undefined) return time(item)
  }
  return undefined
}

/** An id that the agent gave comes before one that we made up of name and input. */
function byOwnId(a: string, b: string): number {
  return Number(a.startsWith('call:')) - Number(b.startsWith('call:'))
}
