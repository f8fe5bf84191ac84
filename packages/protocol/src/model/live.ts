import { z } from 'zod'
import { PromptKind } from './command.ts'
import { Support } from './support.ts'
import { modeLikes } from './mode.ts'

/** A running session, whatever channel controls it. */
export const LiveState = z.enum(['starting', 'idle', 'working', 'asking', 'error', 'ended'])
export type LiveState = z.infer<typeof LiveState>

/** The machine of a live session. */
export const LiveNode = z.object({
  id: z.string(),
  /** What people call it. */
  name: z.string(),
  /** Offline: the state of its sessions is unknown. */
  silent: z.literal(true).optional(),
})
export type LiveNode = z.infer<typeof LiveNode>

/** A permission mode of an agent. */
export const ModeInfo = z.object({
  /** The agent's own name of it. @example 'auto_edit' */
  id: z.string(),
  /** What the agent calls it for people. @example 'Auto edit' */
  label: z.string(),
  /** What it allows without approval; unknown for a mode of which only the id is known. */
  like: z.enum(modeLikes).optional().catch(undefined),
  /** More names that are accepted, such as those of other versions or channels. */
  aliases: z.array(z.string()).readonly().optional(),
  /** It never asks: rules of the user decide about every call. */
  asks: z.literal(false).optional(),
})
export type ModeInfo = z.infer<typeof ModeInfo>

/** A live session as surfaces list it. */
export const LiveInfo = z.object({
  /** Ours; stays the same when the agent changes its own. @example 'l-7f3k9q' */
  id: z.string(),
  agent: z.string(),
  /** The agent's own id of the conversation; the live id until that is known. */
  session: z.string(),
  channel: z.enum(['terminal', 'acp']),
  state: LiveState,
  /** What the agent is thinking about, or its error. */
  detail: z.string().optional(),
  cwd: z.string(),
  title: z.string().optional(),
  /** The name of the mode: `default`, `plan` and so on for the main modes, else the agent's id. */
  mode: z.string().optional(),
  /** The label of that mode, and what it is like. */
  modeInfo: ModeInfo.optional(),
  /** The modes that this session offers, if it lists its own. */
  modes: z.array(ModeInfo).optional(),
  model: z.string().optional(),
  startedAt: z.number(),
  /** When the state changed last. */
  since: z.number(),
  /** Started by the user in their own tmux, not by Remora. */
  adopted: z.boolean(),
  /** How many asks wait, and how many prompts. */
  asks: z.number(),
  queued: z.number(),
  /** The machine on which it runs, if it is not the one that reports it. */
  node: LiveNode.optional(),
  worktree: z.object({ path: z.string(), branch: z.string(), of: z.string() }).optional(),
  /** The server restarted and has not reattached yet. The other fields are from before. */
  restoring: z.boolean().optional(),
  /** How far the version of the agent is known to work, if it is not fully tested on the channel of this session. */
  support: Support.optional(),
  /** The session whose work this one reviews. */
  reviews: z.object({ agent: z.string(), session: z.string(), review: z.string() }).optional(),
})
export type LiveInfo = z.infer<typeof LiveInfo>

/** Text that is streaming and not in the ledger yet. It replaces the previous frame and is never stored. */
export const LiveFrame = z.object({
  live: z.string(),
  text: z.string().optional(),
  subject: z.string().optional(),
})
export type LiveFrame = z.infer<typeof LiveFrame>

/** What a new session needs. */
export const StartRequest = z.strictObject({
  agent: z.string(),
  cwd: z.string(),
  /** The terminal by default, if this machine and the agent support it. */
  channel: z.enum(['terminal', 'acp']).optional(),
  /** What holds the terminal: tmux, or a process of Remora. By default tmux, if it is installed. */
  terminal: z.enum(['tmux', 'pty']).optional(),
  prompt: z.string().max(1_000_000).optional(),
  /** What the prompt is; text by default. */
  promptKind: PromptKind.optional(),
  model: z.string().max(200).optional(),
  mode: z.string().max(100).optional(),
  effort: z.string().max(100).optional(),
  /** A session to resume. */
  resume: z.string().max(500).optional(),
  /** Resumes a copy of it and leaves the session itself unchanged. */
  fork: z.literal(true).optional(),
  /** A git worktree of its own: true, or its name. */
  worktree: z.union([z.boolean(), z.string().max(100)]).optional(),
  args: z.array(z.string()).max(100).optional(),
  /** Over ACP: the method to sign in by, if the agent demands that. Its methods are in the error of a start without it. */
  signIn: z.string().max(200).optional(),
})
export type StartRequest = z.infer<typeof StartRequest>
