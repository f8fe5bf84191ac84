import { z } from 'zod'
import { Answer, Ask } from './ask.ts'
import { Command, CommandBody, CommandState } from './command.ts'
import { Event } from './event.ts'
import { Message } from './message.ts'
import { LiveFrame, LiveInfo } from './live.ts'
import { PersonRole } from './person.ts'

/** The heartbeat interval of each side. */
export const heartbeatMs = 20_000
/** The time without a message after which the other side is disconnected. */
export const staleMs = 45_000

const SessionRef = z.object({ agent: z.string(), session: z.string() })
const id = z.string().min(1).max(100)

/** A message of the client. */
export const ClientMessage = z.discriminatedUnion('type', [
  /** Subscribes to the events after a cursor, of one session or all. Without a cursor: only new events. */
  z.object({
    type: z.literal('subscribe'),
    id,
    cursor: z.string().max(200).optional(),
    session: SessionRef.optional(),
    /** Also sends the agents' own records; without it, only `unknown` events have theirs. */
    raw: z.boolean().optional(),
  }),
  /** Follows one session as folded messages: the last ones, then changes. With an up-to-date cursor: only changes. */
  z.object({
    type: z.literal('follow'),
    id,
    session: SessionRef,
    last: z.number().int().min(1).max(500).optional(),
    cursor: z.string().max(200).optional(),
  }),
  /** Ends a subscription. */
  z.object({ type: z.literal('unsubscribe'), id }),
  /** A repeated id of the same client is the same command. */
  z.object({ type: z.literal('command'), id, target: SessionRef, body: CommandBody }),
  /** Changes the text of a queued prompt, or withdraws it. */
  z.object({
    type: z.literal('edit'),
    id,
    command: id,
    client: id,
    body: CommandBody.optional(),
    withdraw: z.literal(true).optional(),
  }),
  /** The session on the screen; none when the app is hidden. */
  z.object({ type: z.literal('looking'), session: SessionRef.optional() }),
  /** The terminal of a live session: its screen, and keys for it. */
  z.object({ type: z.literal('screen'), live: id, on: z.boolean() }),
  z.object({
    type: z.literal('keys'),
    live: id,
    keys: z
      .array(
        z.union([
          z.object({ key: z.string().min(1).max(20) }),
          z.object({ text: z.string().min(1).max(10_000) }),
        ]),
      )
      .max(100),
  }),
  z.object({ type: z.literal('ping') }),
])
export type ClientMessage = z.infer<typeof ClientMessage>

export const StoredEvent = z.object({ seq: z.number(), event: Event })

/** A message of the server. */
export const ServerMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    version: z.string(),
    epoch: z.string(),
    /** The client id of this device's commands. */
    client: z.string(),
    /** The person of the device, and their role. */
    person: z.string().optional(),
    role: PersonRole.optional(),
    heartbeatMs: z.number(),
    staleMs: z.number(),
    live: z.array(LiveInfo),
    asks: z.array(SessionRef.extend({ ask: Ask })),
  }),
  z.object({
    type: z.literal('events'),
    id: z.string(),
    events: z.array(StoredEvent),
    cursor: z.string(),
    /** The cursor is not valid in this ledger: discard all earlier events and start with these. */
    gap: z.literal(true).optional(),
  }),
  /**
   * Messages of a followed session: they replace those from position `from` on, and the session has `total` messages. With
   * `whole` they are the last ones and replace all earlier ones.
   */
  z.object({
    type: z.literal('messages'),
    id: z.string(),
    from: z.number(),
    messages: z.array(Message),
    total: z.number(),
    cursor: z.string(),
    whole: z.literal(true).optional(),
  }),
  /** All stored events were sent; the following ones are new. */
  z.object({ type: z.literal('current'), id: z.string(), cursor: z.string() }),
  /** The result of a command or an edit. */
  z.object({
    type: z.literal('ack'),
    id: z.string(),
    state: CommandState.optional(),
    error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }).optional(),
    /** The winning answer, if this one was late. */
    answer: Answer.optional(),
  }),
  /** A command has changed its state. All clients receive it, so that they show the same queue. */
  z.object({ type: z.literal('command'), command: Command }),
  z.object({ type: z.literal('live'), live: LiveInfo }),
  z.object({ type: z.literal('frame'), frame: LiveFrame }),
  z.object({ type: z.literal('ask'), agent: z.string(), session: z.string(), ask: Ask }),
  z.object({ type: z.literal('settled'), agent: z.string(), session: z.string(), answer: Answer }),
  /** The screen as bytes for a terminal: the whole screen (`whole`), or the new output. */
  z.object({
    type: z.literal('screen'),
    live: z.string(),
    data: z.string(),
    whole: z.object({ columns: z.number(), rows: z.number() }).optional(),
  }),
  z.object({
    type: z.literal('error'),
    code: z.string(),
    message: z.string(),
    hint: z.string().optional(),
    about: z.string().optional(),
  }),
  z.object({ type: z.literal('pong') }),
])
export type ServerMessage = z.infer<typeof ServerMessage>
