import { z } from 'zod'
import { mediaKinds } from './constants.ts'
import { Usage } from './usage.ts'

/** Where the bytes of a media block are: inline, in a file, or at an address. */
export const MediaSource = z.discriminatedUnion('type', [
  z.object({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
  z.object({ type: z.literal('file'), media_type: z.string().optional(), path: z.string() }),
  z.object({ type: z.literal('url'), media_type: z.string().optional(), url: z.string() }),
])
export type MediaSource = z.infer<typeof MediaSource>

/** The kind of a media block. */
export type MediaKind = (typeof mediaKinds)[number]

/** How a tool call ended. Cancelled and denied calls are not errors of the tool, so they have their own statuses. */
export const ToolStatus = z.enum(['success', 'error', 'cancelled', 'denied', 'timeout'])
export type ToolStatus = z.infer<typeof ToolStatus>

/** Text of the user or the model. */
export const TextBlock = z.object({
  type: z.literal('text'),
  text: z.string(),
  /** Live text without a finished record, such as a cancelled answer. */
  partial: z.literal(true).optional(),
})

/** Thinking of the model. */
export const ThinkingBlock = z.object({
  type: z.literal('thinking'),
  thinking: z.string(),
  subject: z.string().optional(),
  description: z.string().optional(),
  partial: z.literal(true).optional(),
})

/** A tool call. */
export const ToolUseBlock = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  /** Claude's name of the tool, if one fits. */
  name: z.string(),
  input: z.unknown(),
  /** The agent's own name and input. */
  native: z.object({ name: z.string(), input: z.unknown() }).optional(),
  startedAt: z.number().optional(),
})

/** The output of a tool: text, or blocks if it returned media. */
export const ToolOutput = z.union([
  z.string(),
  z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({ type: z.enum(mediaKinds), source: MediaSource, name: z.string().optional() }),
    ]),
  ),
])
export type ToolOutput = z.infer<typeof ToolOutput>

/** The result of a tool call. */
export const ToolResultBlock = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: ToolOutput.optional(),
  status: ToolStatus,
  /** True for every status but success. */
  is_error: z.boolean(),
  /** The output that the agent shows the user, such as a diff, if it differs from `content`. */
  display: z.unknown().optional(),
  endedAt: z.number().optional(),
})

const media = <K extends MediaKind>(kind: K) =>
  z.object({ type: z.literal(kind), source: MediaSource, name: z.string().optional() })

/** A slash command that the user ran in the agent. */
export const SlashCommandBlock = z.object({
  type: z.literal('slash_command'),
  command: z.string(),
  message: z.string().optional(),
  args: z.string().optional(),
})

/** One part of a message: text, thinking, a tool call or its result, media, or a slash command. */
export const Block = z.discriminatedUnion('type', [
  TextBlock,
  ThinkingBlock,
  ToolUseBlock,
  ToolResultBlock,
  media('image'),
  media('audio'),
  media('video'),
  media('document'),
  SlashCommandBlock,
])
export type Block = z.infer<typeof Block>
export type TextBlock = z.infer<typeof TextBlock>
export type ThinkingBlock = z.infer<typeof ThinkingBlock>
export type ToolUseBlock = z.infer<typeof ToolUseBlock>
export type ToolResultBlock = z.infer<typeof ToolResultBlock>
export type SlashCommandBlock = z.infer<typeof SlashCommandBlock>
/** An image, audio, video or document. */
export type MediaBlock = Extract<Block, { type: MediaKind }>

/** The blocks of a user's prompt. */
export type PromptBlock = TextBlock | MediaBlock | SlashCommandBlock

/** The author of a message. */
export const Role = z.enum(['user', 'assistant', 'system'])
export type Role = z.infer<typeof Role>

/** One message of a conversation, the same for every agent: Claude's shape, with the agent's own records beside it. */
export const Message = z.object({
  id: z.string(),
  role: Role,
  content: z.array(Block),
  /** Milliseconds since 1970. */
  timestamp: z.number(),
  /** The agent of the session. */
  tool: z.string(),
  model: z.string().optional(),
  usage: Usage.optional(),
  /** Context that the CLI sent to the model by itself; the user did not write it. */
  context: z.literal(true).optional(),
  /** Whether the agent dropped this message after an interrupt or a refusal, so that the model does not remember it. */
  interrupted: z.literal(true).optional(),
  /** The tool call that started the sub-agent. */
  parent: z.string().optional(),
  /** The agent's own records of this message, most reliable source first. */
  _original: z.array(z.unknown()),
})
export type Message = z.infer<typeof Message>
