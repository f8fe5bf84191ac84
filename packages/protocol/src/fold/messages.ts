import { channels } from '../constants.ts'
import type { EventOf } from '../event.ts'
import type { Block, MediaBlock, Message, TextBlock, ThinkingBlock } from '../message.ts'
import type { Usage } from '../usage.ts'
import type { Denials } from './denials.ts'
import type { Item, Lane, MediaItem, NoteItem, TextItem, ToolItem } from './lane.ts'
import type { Thing, ToldUsage, Turn } from './merge.ts'

/** What the lanes say of messages as a whole, by native id, the best lane's word first. */
interface Heads {
  readonly messages: Map<string, EventOf<'message'>>
  readonly usages: Map<string, EventOf<'usage'>>
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

export function buildMessages(
  agent: string,
  lanes: readonly Lane[],
  turns: readonly Turn[],
  denials: Denials,
): Message[] {
  const heads = readHeads(lanes, turns)
  const messages: Message[] = []
  const seen = new Map<string, number>()
  const push = (message: Message): void => {
    // A native message with words behind its calls gives two of ours, which need two ids.
    const count = seen.get(message.id) ?? 0
    seen.set(message.id, count + 1)
    messages.push(count === 0 ? message : { ...message, id: `${message.id}/${count}` })
  }
  for (const [index, turn] of turns.entries()) {
    const span = { from: turn.at, to: turns[index + 1]?.at ?? Infinity }
    const isDenied: IsDenied = (entity, use) => denials.has(entity, use, span)
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
      if (draft) push(finishDraft(agent, draft, heads))
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
      const blocks = thingBlocks(thing, isDenied)
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
      const list =
        thing.kind === 'thinking' ? draft.thinking : thing.kind === 'tool' ? draft.tools : draft.text
      for (const block of blocks) list.push(block)
      for (const { raws } of thing.versions) for (const raw of raws) draft.raws.push(raw)
    }
    close()
  }
  return messages
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

function readHeads(lanes: readonly Lane[], turns: readonly Turn[]): Heads {
  const heads: Heads = { messages: new Map(), usages: new Map() }
  for (const lane of lanes)
    for (const [id, event] of lane.messages) if (!heads.messages.has(id)) heads.messages.set(id, event)
  for (const turn of turns)
    for (const { event } of latestUsages(turn))
      if (event.scope === 'message' && !heads.usages.has(event.entity)) heads.usages.set(event.entity, event)
  return heads
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

function finishDraft(agent: string, draft: Draft, heads: Heads): Message {
  const id = draft.id ?? draft.fallback
  const head = heads.messages.get(id)
  const usage = heads.usages.get(id)
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

type IsDenied = (entity: string, use: EventOf<'tool_use'> | undefined) => boolean

function thingBlocks(thing: Thing, isDenied: IsDenied): Block[] {
  switch (thing.kind) {
    case 'text':
    case 'thinking':
      return textBlocks(thing.versions as TextItem[])
    case 'media':
      return [mediaBlock(thing.versions as MediaItem[])]
    case 'tool':
      return toolBlocks(thing.versions as ToolItem[], isDenied)
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
function toolBlocks(versions: readonly ToolItem[], isDenied: IsDenied): Block[] {
  const id = versions.map((item) => item.entity).sort(byOwnId)[0]!
  const use = versions.find((item) => item.use)?.use
  const results = versions.flatMap((item) => (item.result ? [item.result] : []))
  const startedAt = witness(versions, (item) => item.use?.at)
  const endedAt = witness(versions, (item) => item.result?.at)
  const blocks: Block[] = []
  if (use)
    blocks.push({
      type: 'tool_use',
      id,
      name: use.name,
      input: use.input,
      ...(use.native ? { native: use.native } : {}),
      ...(startedAt === undefined ? {} : { startedAt }),
    })
  const first = results[0]
  if (first) {
    const content =
      results.find((result) => result.content !== undefined && result.content !== '')?.content ??
      first.content
    const status = first.status !== 'success' && isDenied(id, use) ? 'denied' : first.status
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
