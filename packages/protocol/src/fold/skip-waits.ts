import type { Ask } from '../ask.ts'
import type { Event } from '../event.ts'
import type { Message, ToolUseBlock } from '../message.ts'

interface Wait {
  readonly ask: Pick<Ask, 'toolUse' | 'tool' | 'input'>
  from: number
  until: number
}

/**
 * A call starts when it is allowed: its `startedAt` is moved behind the time in which a person was asked about it, so that
 * durations do not include it.
 */
export function skipWaits(messages: Message[], events: Iterable<Event>): Message[] {
  const waits = listWaits(events)
  if (waits.length === 0) return messages
  const ends = new Map<string, number>()
  for (const { content } of messages)
    for (const block of content)
      if (block.type === 'tool_result' && block.endedAt !== undefined)
        ends.set(block.tool_use_id, block.endedAt)
  return messages.map((message) => {
    const content = message.content.map((block) =>
      block.type === 'tool_use' ? startLater(block, ends.get(block.id), waits) : block,
    )
    return content.every((block, index) => block === message.content[index])
      ? message
      : { ...message, content }
  })
}

function startLater(use: ToolUseBlock, endedAt: number | undefined, waits: readonly Wait[]): ToolUseBlock {
  const { startedAt } = use
  if (startedAt === undefined || endedAt === undefined) return use
  const until = waits
    .filter((wait) => wait.from >= startedAt && wait.until <= endedAt && isAbout(wait, use))
    .reduce((last, wait) => Math.max(last, wait.until), startedAt)
  return until === startedAt ? use : { ...use, startedAt: until }
}

/** The fields of an input that tell two calls of one tool apart. */
const telling = ['command', 'file_path', 'url', 'pattern', 'query'] as const

function isAbout({ ask }: Wait, use: ToolUseBlock): boolean {
  if (ask.toolUse !== undefined) return ask.toolUse === use.id
  if (ask.tool !== use.name) return false
  const [asked, called] = [ask.input, use.input].map((input) => (input ?? {}) as Record<string, unknown>)
  return telling.some((name) => asked![name] !== undefined && asked![name] === called![name])
}

function listWaits(events: Iterable<Event>): Wait[] {
  const waits = new Map<string, Wait>()
  const answers = new Map<string, number>()
  for (const event of events) {
    if (event.type !== 'ask' && event.type !== 'answer') continue
    const name = event.type === 'ask' ? event.ask.id : event.answer.ask
    const key = JSON.stringify([event.agent, event.session, name])
    if (event.type === 'answer') answers.set(key, Math.max(answers.get(key) ?? 0, event.at))
    else {
      const from = Math.min(waits.get(key)?.from ?? event.at, event.at)
      waits.set(key, { ask: event.ask, from, until: 0 })
    }
  }
  return [...waits].flatMap(([key, wait]) => {
    const until = answers.get(key)
    return until === undefined ? [] : [{ ...wait, until }]
  })
}
