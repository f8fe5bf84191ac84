import { randomUUID } from 'node:crypto'
import { mask } from '@remora/ledger'
import {
  Block,
  Command,
  type CommandBody,
  LiveFrame,
  LiveInfo,
  PromptKind,
  RemoraError,
  StartRequest,
} from '@remora/protocol'
import { z } from 'zod'
import { requireWho } from '../../security/roles.ts'
import { viaMcp } from '../../security/who.ts'
import { auditCommand, submitCommand } from '../../ws/submit-command.ts'
import { getPromptKind } from '../../host/prompt-parts.ts'
import { checkMcpPrompt } from '../../live/mcp-prompt.ts'
import { type Call, route } from '../route.ts'
import { LiveParams } from '../shapes.ts'

/** Chosen by the client, so that the same request again does nothing more. */
const id = z.string().min(1).max(100).optional()
const Nothing = z.strictObject({ id })
/** What a prompt may say of itself besides its content. */
const sendFields = {
  id,
  promptKind: PromptKind.optional(),
  /** Set where another agent sends the prompt. It may send text only. */
  via: z.literal('mcp').optional(),
  /** Whether the user allows such a prompt although the session runs tools without asking. */
  unattended: z.boolean().optional(),
}
const Moved = z.object({ command: Command })

const Adoptable = z.object({
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

export const liveRoutes = [
  route({
    method: 'get',
    path: '/api/live',
    summary:
      'Live sessions of every machine. `node` selects one machine, or `here`; `settled` waits for sessions that are being restored',
    access: 'viewer',
    shapes: {
      query: z.object({
        node: z.string().max(100).optional(),
        settled: z.enum(['true', 'false']).optional(),
      }),
      response: z.object({ live: z.array(LiveInfo) }),
    },
    async handle({ context, query: { node, settled } }) {
      await context.live.listed?.()
      if (settled === 'true') await context.live.restored?.()
      const here = node === 'here' || node === context.ledger.node
      const live = context.live.list()
      if (node === undefined) return { live }
      return { live: live.filter((info) => (here ? info.node === undefined : info.node?.id === node)) }
    },
  }),
  route({
    method: 'post',
    path: '/api/live',
    summary: 'Starts a session',
    access: 'member',
    shapes: { body: StartRequest, response: LiveInfo },
    async handle({ context, body, who }) {
      const live = await context.live.start(body)
      const { prompt, promptKind } = body
      if (prompt !== undefined && promptKind !== undefined) {
        const content = [{ type: 'text' as const, text: prompt }]
        const command = { target: live, body: { kind: 'prompt' as const, content, promptKind } }
        await auditCommand(context, command, requireWho(who))
      }
      return live
    },
  }),
  route({
    method: 'get',
    path: '/api/live/adoptable',
    summary: "Agents in the user's own tmux that could be watched and driven",
    access: 'viewer',
    shapes: { response: z.object({ adoptable: z.array(Adoptable) }) },
    async handle({ context }) {
      const found = await context.live.adoptable()
      return {
        adoptable: found.map(({ agent, address, args, ...rest }) => ({
          ...rest,
          agent: agent.id,
          socket: address.socket,
          pane: address.pane,
          args: args.map(mask),
        })),
      }
    },
  }),
  route({
    method: 'post',
    path: '/api/live/adopt',
    summary: 'Adopts one of them',
    access: 'member',
    shapes: {
      body: z.strictObject({ socket: z.string().max(4096), pane: z.string().max(20) }),
      response: LiveInfo,
    },
    async handle({ context, body }) {
      // Only what was found: a socket by a stranger's choice is never opened.
      const found = (await context.live.adoptable()).find(
        ({ address }) => address.socket === body.socket && address.pane === body.pane,
      )
      if (!found) throw new RemoraError('not_found', `No agent to adopt in pane ${body.pane}`)
      return context.live.adopt(found)
    },
  }),
  route({
    method: 'get',
    path: '/api/live/:id',
    summary: 'One of them, by its id or the beginning of it, with what is being said',
    access: 'viewer',
    shapes: { params: LiveParams, response: LiveInfo.extend({ frame: LiveFrame.optional() }) },
    async handle(call) {
      const live = await find(call)
      const frame = call.context.live.frame(live.id)
      return { ...live, ...(frame ? { frame } : {}) }
    },
  }),
  route({
    method: 'post',
    path: '/api/live/:id/send',
    summary: 'A prompt; it waits in line while the agent works',
    access: 'member',
    shapes: {
      params: LiveParams,
      body: z.union([
        z.strictObject({ ...sendFields, text: z.string().min(1).max(1_000_000) }),
        z.strictObject({ ...sendFields, content: z.array(Block).min(1).max(100) }),
      ]),
      response: Moved,
    },
    async handle(call) {
      const { body } = call
      const content = 'text' in body ? [{ type: 'text' as const, text: body.text }] : body.content
      const { promptKind } = body
      const prompt = { kind: 'prompt' as const, content, ...(promptKind ? { promptKind } : {}) }
      if (body.via === undefined) return submit(call, prompt, body.id)
      checkMcpPrompt(await find(call), getPromptKind(prompt), body.unattended)
      return submit({ ...call, who: viaMcp(requireWho(call.who)) }, prompt, body.id)
    },
  }),
  route({
    method: 'post',
    path: '/api/live/:id/cancel',
    summary: 'Interrupts what it does',
    access: 'member',
    shapes: { params: LiveParams, body: Nothing, response: Moved },
    handle: (call) => submit(call, { kind: 'cancel' }, call.body.id),
  }),
  route({
    method: 'post',
    path: '/api/live/:id/end',
    summary: 'Ends the agent',
    access: 'member',
    shapes: { params: LiveParams, body: Nothing, response: Moved },
    handle: (call) => submit(call, { kind: 'end' }, call.body.id),
  }),
  route({
    method: 'delete',
    path: '/api/live/:id',
    summary: 'Ends the agent',
    access: 'member',
    shapes: { params: LiveParams, response: Moved },
    handle: (call) => submit(call, { kind: 'end' }),
  }),
  route({
    method: 'post',
    path: '/api/live/:id/mode',
    summary: 'Another permission mode',
    access: 'member',
    shapes: {
      params: LiveParams,
      body: z.strictObject({ id, mode: z.string().min(1).max(100) }),
      response: Moved,
    },
    handle: (call) => submit(call, { kind: 'mode', mode: call.body.mode }, call.body.id),
  }),
  route({
    method: 'post',
    path: '/api/live/:id/model',
    summary: 'Another model',
    access: 'member',
    shapes: {
      params: LiveParams,
      body: z.strictObject({ id, model: z.string().min(1).max(200) }),
      response: Moved,
    },
    handle: (call) => submit(call, { kind: 'model', model: call.body.model }, call.body.id),
  }),
  route({
    method: 'post',
    path: '/api/live/:id/release',
    summary: 'Lets go of an adopted agent, which goes on',
    access: 'member',
    shapes: { params: LiveParams, body: Nothing },
    handle: async (call) => call.context.live.release((await find(call)).id),
  }),
]

type LiveCall = Pick<Call, 'context' | 'who'> & { readonly params: { readonly id: string } }

async function find({ context, params }: LiveCall): Promise<LiveInfo> {
  if (!context.live.find(params.id)) await context.live.listed?.()
  const live = context.live.find(params.id)
  if (!live)
    throw new RemoraError('not_found', `No live session ${params.id}`, {
      hint: 'List live sessions: remora ls',
    })
  return live
}

async function submit(
  call: LiveCall,
  body: CommandBody,
  id: string = randomUUID(),
): Promise<{ command: Command }> {
  const { agent, session } = await find(call)
  const target = { agent, session }
  const command = await submitCommand(call.context, { id, target, body }, requireWho(call.who))
  if (command.state === 'refused')
    throw new RemoraError('conflict', command.reason ?? 'The session rejected the command')
  return { command }
}
