import { z } from 'zod'
import { commandStates, promptKinds } from './constants.ts'
import { Block } from './message.ts'

/** Without a kind a prompt is text, which no agent runs as a command. */
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

/** How far a command has been executed. */
export const CommandState = z.enum(commandStates)
export type CommandState = z.infer<typeof CommandState>

/** A wish of a surface. The client chooses the id, so that sending it twice does it once. */
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
