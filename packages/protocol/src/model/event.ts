import { z } from 'zod'
import { Answer, Ask } from './ask.ts'
import { channels, mediaKinds, statuses } from './constants.ts'
import { errorCodes } from './error.ts'
import { Block, MediaSource, Role, ToolOutput, ToolStatus } from './message.ts'
import { Usage } from './usage.ts'

/** One of the five ways to reach an agent. */
export const Channel = z.enum(channels)
export type Channel = z.infer<typeof Channel>

/**
 * Where an event was read. The same origin identifies the same event.
 * The key numbers the events of a record.
 */
export const Origin = z.object({
  channel: Channel,
  /** A file, a run, a connection, a spool. Events of one source keep their order. */
  source: z.string(),
  key: z.string(),
  /** The hash of the record, if a record with the same key may change. */
  digest: z.string().optional(),
})
export type Origin = z.infer<typeof Origin>

const envelope = {
  agent: z.string(),
  /** The agent's own id of the conversation. */
  session: z.string(),
  /** What this event folds into, unique within (agent, session). */
  entity: z.string(),
  origin: Origin,
  /** When it happened, in milliseconds since 1970. */
  at: z.number(),
  /** The tool call that started the sub-agent. */
  parent: z.string().optional(),
  /** The agent's own record, on the first event made of it. */
  raw: z.unknown().optional(),
}

/** The agent's id of the message that contains this block, if it has one. */
const message = z.string().optional()

/** The `parent` of the events of the sub-agent that this call started, if it is not the id of the call. */
const subagent = z.string().optional()

export const SessionEvent = z.object({
  type: z.literal('session'),
  ...envelope,
  cwd: z.string().optional(),
  model: z.string().optional(),
  title: z.string().optional(),
  version: z.string().optional(),
  file: z.string().optional(),
  resumed: z.boolean().optional(),
})

/** A complete prompt or note; for the assistant, only the start of the message with this id. */
export const MessageEvent = z.object({
  type: z.literal('message'),
  ...envelope,
  role: Role,
  content: z.array(Block).optional(),
  model: z.string().optional(),
  context: z.literal(true).optional(),
})

/** Writes `text` at `offset` (in UTF-16 units) of its entity. `final` says that the entity ends there. */
export const TextEvent = z.object({
  type: z.literal('text'),
  ...envelope,
  message,
  offset: z.number().int().nonnegative(),
  text: z.string(),
  final: z.literal(true).optional(),
})

export const ThinkingEvent = z.object({
  type: z.literal('thinking'),
  ...envelope,
  message,
  offset: z.number().int().nonnegative(),
  text: z.string(),
  final: z.literal(true).optional(),
  subject: z.string().optional(),
  description: z.string().optional(),
})

export const ToolUseEvent = z.object({
  type: z.literal('tool_use'),
  ...envelope,
  message,
  name: z.string(),
  input: z.unknown(),
  native: z.object({ name: z.string(), input: z.unknown() }).optional(),
  /** False if the channel does not know the position of the call, as in a record that collects calls. */
  placed: z.literal(false).optional(),
  subagent,
})

export const ToolResultEvent = z.object({
  type: z.literal('tool_result'),
  ...envelope,
  status: ToolStatus,
  content: ToolOutput.optional(),
  display: z.unknown().optional(),
  subagent,
})

export const MediaEvent = z.object({
  type: z.literal('media'),
  ...envelope,
  message,
  kind: z.enum(mediaKinds),
  source: MediaSource,
  name: z.string().optional(),
})

export const AskEvent = z.object({ type: z.literal('ask'), ...envelope, ask: Ask })
export const AnswerEvent = z.object({ type: z.literal('answer'), ...envelope, answer: Answer })

/** Tokens of one message, turn or run. Totals take the finest scope present and never add scopes. */
export const UsageEvent = z.object({
  type: z.literal('usage'),
  ...envelope,
  scope: z.enum(['message', 'turn', 'run']),
  usage: Usage,
  model: z.string().optional(),
  models: z.record(z.string(), Usage).optional(),
  costUsd: z.number().optional(),
})

export const StatusEvent = z.object({
  type: z.literal('status'),
  ...envelope,
  status: z.enum(statuses),
  detail: z.string().optional(),
  /**
   * What the status is about: the mode or model id, the plan's entries, the commands, the attempt. For `rewound` it is
   * `{ to }`, the first message that was rewound with all that follow, or `{ keep, exact? }`, the messages that the
   * agent still remembers. Without `exact`, the others stay in the conversation, marked as interrupted.
   */
  value: z.unknown().optional(),
})

export const ErrorEvent = z.object({
  type: z.literal('error'),
  ...envelope,
  code: z.enum(errorCodes),
  message: z.string(),
  hint: z.string().optional(),
  retryable: z.boolean().optional(),
  /** A warning never fails a run. */
  severity: z.enum(['warning', 'error']).default('error'),
})

/** The agent has finished its answer to this prompt. */
export const DoneEvent = z.object({
  type: z.literal('done'),
  ...envelope,
  ok: z.boolean(),
  stopReason: z.string().optional(),
})

/** A record that no reader recognises: stored, counted and shown, never dropped. */
export const UnknownEvent = z.object({
  type: z.literal('unknown'),
  ...envelope,
  what: z.string(),
  raw: z.unknown(),
})

/** One thing that happened in a session, as one channel reported it. */
export const Event = z.discriminatedUnion('type', [
  SessionEvent,
  MessageEvent,
  TextEvent,
  ThinkingEvent,
  ToolUseEvent,
  ToolResultEvent,
  MediaEvent,
  AskEvent,
  AnswerEvent,
  UsageEvent,
  StatusEvent,
  ErrorEvent,
  DoneEvent,
  UnknownEvent,
])
export type Event = z.infer<typeof Event>
/** The type of an event. */
export type EventType = Event['type']
/** The event of one type. @example EventOf<'tool_use'> */
export type EventOf<T extends EventType> = Extract<Event, { type: T }>

/** Receives events in order. A returned promise is awaited before the next event, so a slow sink slows its source. */
export interface EventSink {
  write(event: Event): void | Promise<void>
}

/** The events of one record of an agent, in order, and its exact text if known. */
export interface EventRecord {
  readonly events: readonly Event[]
  readonly raw?: string
}
