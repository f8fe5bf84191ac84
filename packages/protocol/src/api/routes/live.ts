import { z } from 'zod'
import { Answer, Ask } from '../../model/ask.ts'
import { Command, CommandBody, CommandState, PromptKind } from '../../model/command.ts'
import { LiveFrame, LiveInfo, StartRequest } from '../../model/live.ts'
import { Block } from '../../model/message.ts'
import { LiveParams, defineRoutes, identifier } from '../route.ts'

/** Chosen by the client: a command with the same id is executed once. */
const id = z.string().min(1).max(100).optional()
const CommandId = z.strictObject({ id })
const promptFields = {
  id,
  promptKind: PromptKind.optional(),
  /** Set when another agent sends the prompt, which must be text. */
  via: z.literal('mcp').optional(),
  /** Whether the user allows a prompt via MCP to a session that runs tools without asking. */
  unattended: z.boolean().optional(),
}
const CommandResult = z.object({ command: Command })
const CommandParams = z.object({ client: identifier, id: identifier })

/** An agent in a tmux of the user that Remora can adopt. */
export const AdoptableAgent = z.object({
  agent: z.string(),
  socket: z.string(),
  pane: z.string(),
  pid: z.number(),
  args: z.array(z.string()),
  cwd: z.string(),
  name: z.string(),
  session: z.string().optional(),
  startedAt: z.number().optional(),
})
export type AdoptableAgent = z.infer<typeof AdoptableAgent>

/** Routes of live sessions. */
export const liveApi = defineRoutes({
  listLive: {
    method: 'get',
    path: '/api/live',
    summary:
      'List live sessions of all machines. `node` selects one machine, or `here`; `settled` waits for sessions that are being restored',
    access: 'viewer',
    query: z.object({
      node: z.string().max(100).optional(),
      settled: z.enum(['true', 'false']).optional(),
    }),
    response: z.object({ live: z.array(LiveInfo) }),
  },
  startSession: {
    method: 'post',
    path: '/api/live',
    summary: 'Start a session',
    access: 'member',
    body: StartRequest,
    response: LiveInfo,
  },
  listAdoptable: {
    method: 'get',
    path: '/api/live/adoptable',
    summary: "List agents in the user's own tmux that can be adopted",
    access: 'viewer',
    response: z.object({ adoptable: z.array(AdoptableAgent) }),
  },
  adoptSession: {
    method: 'post',
    path: '/api/live/adopt',
    summary: "Adopt an agent in the user's own tmux",
    access: 'member',
    body: z.strictObject({ socket: z.string().max(4096), pane: z.string().max(20) }),
    response: LiveInfo,
  },
  getLive: {
    method: 'get',
    path: '/api/live/:id',
    summary: 'Get a live session by its id or a unique prefix, with the text it is writing',
    access: 'viewer',
    params: LiveParams,
    response: LiveInfo.extend({ frame: LiveFrame.optional() }),
  },
  sendPrompt: {
    method: 'post',
    path: '/api/live/:id/send',
    summary: 'Send a prompt; it is queued while the agent is working',
    access: 'member',
    params: LiveParams,
    body: z.union([
      z.strictObject({ ...promptFields, text: z.string().min(1).max(1_000_000) }),
      z.strictObject({ ...promptFields, content: z.array(Block).min(1).max(100) }),
    ]),
    response: CommandResult,
  },
  cancelTurn: {
    method: 'post',
    path: '/api/live/:id/cancel',
    summary: 'Interrupt the current turn',
    access: 'member',
    params: LiveParams,
    body: CommandId,
    response: CommandResult,
  },
  endSession: {
    method: 'post',
    path: '/api/live/:id/end',
    summary: 'End a live session',
    access: 'member',
    params: LiveParams,
    body: CommandId,
    response: CommandResult,
  },
  deleteLive: {
    method: 'delete',
    path: '/api/live/:id',
    summary: 'End a live session',
    access: 'member',
    params: LiveParams,
    response: CommandResult,
  },
  setMode: {
    method: 'post',
    path: '/api/live/:id/mode',
    summary: 'Change the permission mode',
    access: 'member',
    params: LiveParams,
    body: z.strictObject({ id, mode: z.string().min(1).max(100) }),
    response: CommandResult,
  },
  setModel: {
    method: 'post',
    path: '/api/live/:id/model',
    summary: 'Change the model',
    access: 'member',
    params: LiveParams,
    body: z.strictObject({ id, model: z.string().min(1).max(200) }),
    response: CommandResult,
  },
  releaseSession: {
    method: 'post',
    path: '/api/live/:id/release',
    summary: 'Detach from an adopted agent, which keeps running',
    access: 'member',
    params: LiveParams,
    body: CommandId,
  },
})

/** Routes of open asks and their answers. */
export const asksApi = defineRoutes({
  listAsks: {
    method: 'get',
    path: '/api/asks',
    summary: 'List open approval requests and questions',
    access: 'viewer',
    response: z.object({
      asks: z.array(z.object({ agent: z.string(), session: z.string(), ask: Ask })),
    }),
  },
  answerAsk: {
    method: 'post',
    path: '/api/asks/answer',
    summary:
      'Answer a request. The first answer wins: `won` reports whether it was this one, `answer` is the winning one',
    access: 'member',
    body: z.strictObject({
      agent: identifier,
      session: identifier,
      ask: z.string().min(1).max(500),
      digest: z.string().min(1).max(200),
      option: z.string().max(500).optional(),
      text: z.string().max(100_000).optional(),
    }),
    response: z.object({ won: z.boolean(), answer: Answer, effect: z.enum(['done', 'gone']).optional() }),
  },
})

/** Routes of queued commands. */
export const commandsApi = defineRoutes({
  listCommands: {
    method: 'get',
    path: '/api/commands',
    summary: 'List commands in order of arrival, queued ones unless `state` is given',
    access: 'viewer',
    query: z.object({
      agent: identifier.optional(),
      session: identifier.optional(),
      state: CommandState.optional(),
    }),
    response: z.object({ commands: z.array(Command) }),
  },
  editCommand: {
    method: 'patch',
    path: '/api/commands/:client/:id',
    summary: 'Edit a queued prompt',
    access: 'member',
    params: CommandParams,
    body: z.strictObject({ body: CommandBody }),
    response: CommandResult,
  },
  withdrawCommand: {
    method: 'delete',
    path: '/api/commands/:client/:id',
    summary: 'Withdraw a queued prompt',
    access: 'member',
    params: CommandParams,
    response: CommandResult,
  },
})

/** The hook of an agent that waits for a decision. Internal, so it is not part of `api` and of the OpenAPI document. */
export const hooksApi = defineRoutes({
  waitForDecision: {
    method: 'post',
    path: '/api/hooks/ask',
    summary: 'Send the payload of a hook and wait for its output; an empty object is no decision',
    access: 'user',
    query: z.object({ agent: z.string().optional(), live: z.string().optional() }),
    bytes: 'request',
    response: z.record(z.string(), z.unknown()),
  },
})
