import { z } from 'zod'
import { commandStates, promptKinds } from './constants.ts'
import { Block } from './message.ts'

/** A prompt without a kind is text, which no agent runs as a command. */
export const PromptKind = z.enum(promptKinds)
export type PromptKind = z.infer<typeof PromptKind>

/** The action of a command. Its target is always one session. */
export const CommandBody = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('prompt'), content: z.array(Block), promptKind: PromptKind.optional() }),
  z.object({
    kind: z.literal('answer'),
    ask: z.string(),
    digest: z.string(),
    option: z.string().optional(),
    text: z.string().optional(),
  }),
  z.object({ kind: z.literal('cancel') }),
  z.object({ kind: z.literal('mode'), mode: z.string() }),
  z.object({ kind: z.literal('model'), model: z.string() }),
  z.object({ kind: z.literal('end') }),
])
export type CommandBody = z.infer<typeof CommandBody>

/** The state of a command. */
export const CommandState = z.enum(commandStates)
export type CommandState = z.infer<typeof CommandState>

/** A request of a client to a session. The client chooses the id, so that a command sent twice is executed once. */
export const Command = z.object({
  id: z.string().min(1),
  client: z.string().min(1),
  target: z.object({ agent: z.string(), session: z.string() }),
  body: CommandBody,
  state: CommandState,
  at: z.number(),
  /** Why it was refused. */
  reason: z.string().optional(),
})
export type Command = z.infer<typeof Command>
