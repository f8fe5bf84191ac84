import { sessionState } from '@remora/protocol/fold'
import { type Event, type Message, getMessageText } from '@remora/protocol/plain'
import { agentTitle } from '../../detection/agent-names.ts'
import type { Colors } from '../../output/colors.ts'
import { plural, shortNumber } from '../../output/format-number.ts'
import { formatDate, formatTime } from '../../output/format-time.ts'
import { homePath } from '../../output/home-path.ts'
import { oneLine } from '../../output/one-line.ts'
import type { Conversation } from './conversation.ts'

/** The facts at the top of a document. */
export interface Facts {
  readonly title: string
  readonly agent: string
  readonly models: readonly string[]
  readonly folder: string | undefined
  readonly when: string
  readonly amount: string
  readonly id: string
}

export function getFacts(conversation: Conversation, messages: readonly Message[], home: string): Facts {
  const prompt = messages.find(
    ({ role, context, parent }) => role === 'user' && !context && parent === undefined,
  )
  const models = messages.flatMap(({ model }) => (model === undefined ? [] : [model]))
  const times = messages.map(({ timestamp }) => timestamp)
  return {
    title: oneLine(conversation.title ?? (prompt ? getMessageText(prompt) : ''), 100) || conversation.id,
    agent: agentTitle(conversation.agent),
    models: [...new Set(models)],
    folder: conversation.cwd === undefined ? undefined : homePath(conversation.cwd, home),
    when: span(times),
    amount: [countMessages(conversation, messages), tokens(conversation)].filter(Boolean).join(', '),
    id: conversation.id,
  }
}

/** Formats the header of a conversation. */
export function conversationHead(
  conversation: Conversation,
  messages: readonly Message[],
  paint: Colors,
  home: string,
): string {
  const { title, agent, models, folder, when, amount, id } = getFacts(conversation, messages, home)
  const about = [agent, models.map((model) => oneLine(model, 60)).join(' + '), folder].filter(Boolean)
  return [
    paint.bold(title),
    paint.dim(about.join(' · ')),
    paint.dim([when, amount].filter(Boolean).join(' · ')),
    paint.dim(id),
    ...(conversation.elsewhere ?? []).map((line) => paint.yellow(line)),
    ...doing(conversation.events, Date.now(), conversation.deserted).map((line) => paint.yellow(line)),
    '',
  ]
    .map((line) => `${line}\n`)
    .join('')
}

/** Describes the current activity of the agent, if any. */
export function doing(
  events: readonly Event[],
  now: number,
  deserted: ReadonlySet<string> = new Set(),
): string[] {
  const { state, since, detail } = sessionState(events, now)
  if (state === 'working') return [`Working since ${formatTime(since)}`]
  if (state !== 'waiting') return []
  const ask = events.findLast((event) => event.type === 'ask')
  // The process that asked has exited, and its agent with it.
  if (ask?.type === 'ask' && ask.ask.title === detail && deserted.has(ask.ask.id)) return []
  return [`Waiting for you since ${formatTime(since)}${detail ? `: ${oneLine(detail, 80)}` : ''}`]
}

function countMessages({ hasEarlier }: Conversation, messages: readonly Message[]): string {
  const count = plural(messages.length, 'message')
  return hasEarlier ? `last ${count}` : count
}

function span(times: readonly number[]): string {
  if (times.length === 0) return ''
  let [first, last] = [Infinity, -Infinity]
  for (const time of times) [first, last] = [Math.min(first, time), Math.max(last, time)]
  const start = `${formatDate(first)} ${formatTime(first)}`
  if (last - first < 60_000) return start
  return `${start} to ${formatDate(first) === formatDate(last) ? '' : `${formatDate(last)} `}${formatTime(last)}`
}

function tokens({ usage }: Conversation): string {
  const { inputTokens, outputTokens, cachedTokens } = usage ?? {}
  if (inputTokens === undefined && outputTokens === undefined) return ''
  const cached = cachedTokens ? ` (${shortNumber(cachedTokens)} cached)` : ''
  return `${shortNumber(inputTokens ?? 0)} tokens in${cached}, ${shortNumber(outputTokens ?? 0)} out`
}
