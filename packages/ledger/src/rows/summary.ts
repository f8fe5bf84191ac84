import { type Event, type EventOf, channels } from '@remora/protocol/plain'

/** A session's summary, updated with each event. */
export interface Summary {
  readonly id: number
  title: string | null
  first_prompt: string | null
  first_prompt_at: number | null
  model: string | null
  cwd: string | null
  version: string | null
  told_by: number
  /** The number of messages per channel, best channel first. */
  counts: number[]
  usage_rank: number | null
  started_at: number
  updated_at: number
}

/** The columns of a summary that appends write, in order. */
export const summaryColumns = [
  'title',
  'first_prompt',
  'first_prompt_at',
  'model',
  'cwd',
  'version',
  'told_by',
  'message_counts',
  'usage_rank',
  'started_at',
  'updated_at',
] as const

export function toSummaryValues(summary: Summary): (string | number | null)[] {
  return summaryColumns.map((name) =>
    name === 'message_counts' ? JSON.stringify(summary.counts) : summary[name],
  )
}

export const scopes = ['message', 'turn', 'run'] as const

/** The rank of a usage event: finer scopes first, then better channels. Only the lowest rank of a session counts. */
export function getUsageRank(event: EventOf<'usage'>): number {
  return scopes.indexOf(event.scope) * 8 + getRank(event)
}

/** The rank of the event's channel, best first. */
export function getRank(event: Event): number {
  return getChannelRank(event.origin.channel)
}

export function getChannelRank(channel: string): number {
  return (channels as readonly string[]).indexOf(channel)
}

/** Updates a summary from a new event. */
export function summarize(summary: Summary, event: Event): void {
  if (event.at > 0) {
    if (summary.started_at === 0 || event.at < summary.started_at) summary.started_at = event.at
    if (event.at > summary.updated_at) summary.updated_at = event.at
  }
  if (event.type === 'usage') {
    const rank = getUsageRank(event)
    if (summary.usage_rank === null || rank < summary.usage_rank) summary.usage_rank = rank
  }
  // A sub-agent's messages are not the session's own.
  if (event.parent !== undefined) return
  if (event.type === 'session') {
    setValues(summary, getRank(event), event)
  } else if (event.type === 'message') {
    if (event.role === 'assistant') {
      if (event.model !== undefined) setValues(summary, getRank(event), { model: event.model })
    } else if (event.role === 'user' && !event.context) setFirstPrompt(summary, event)
  } else if (event.type === 'status' && event.status === 'model' && typeof event.value === 'string') {
    setValues(summary, getRank(event), { model: event.value })
  }
}

/** The id of the message that an event belongs to, if that message is counted. */
export function getCountedMessage(event: Event): string | undefined {
  if (event.parent !== undefined) return undefined
  switch (event.type) {
    case 'message':
      return event.role === 'system' || event.context ? undefined : event.entity
    case 'text':
      return event.message ?? event.entity
    case 'thinking':
    case 'tool_use':
    case 'media':
      return event.message
    default:
      return undefined
  }
}

/** The message count of the best channel that reported any. */
export function getMessageCount(counts: readonly number[]): number {
  return counts.find((count) => count > 0) ?? 0
}

const reportedFields = ['title', 'model', 'cwd', 'version'] as const

/** The latest value of the best channel wins; other channels only fill gaps. */
function setValues(
  summary: Summary,
  rank: number,
  values: Partial<Record<(typeof reportedFields)[number], string>>,
): void {
  for (const name of reportedFields) {
    const value = values[name]
    if (value !== undefined && (summary[name] === null || rank <= summary.told_by)) summary[name] = value
  }
  if (rank < summary.told_by) summary.told_by = rank
}

function setFirstPrompt(summary: Summary, event: EventOf<'message'>): void {
  if (summary.first_prompt_at !== null && summary.first_prompt_at <= event.at) return
  const text = getLeadText(event)
  if (text === '') return
  summary.first_prompt = text
  summary.first_prompt_at = event.at
}

function getLeadText({ content = [] }: EventOf<'message'>): string {
  let text = ''
  for (const block of content) {
    if (block.type === 'text') text += ` ${block.text.slice(0, 2000)}`
    else if (block.type === 'slash_command') text += ` ${block.command} ${block.args ?? ''}`
    if (text.length > 2000) break
  }
  return lead(text, 300)
}

/** The beginning of a text on one line. */
export function lead(text: string, maxLength: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= maxLength ? line : `${line.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')}…`
}
