import { findAgent } from '@remora/sdk/hooks'
import { randomUUID } from 'node:crypto'
import { mask } from '@remora/ledger'
import { asksApi, commandsApi, hooksApi, liveApi } from '@remora/protocol/api'
import { type Command, type CommandBody, type LiveInfo, RemoraError, parseJson } from '@remora/protocol/plain'
import { getPromptKind } from '../../host/prompt-parts.ts'
import { checkMcpPrompt } from '../../live/mcp-prompt.ts'
import { HttpError } from '../../security/http-error.ts'
import { requireWho } from '../../security/roles.ts'
import { toMcpIdentity } from '../../security/who.ts'
import { answerAsk, auditCommand, submitCommand } from '../../ws/commands.ts'
import { type Call, implement } from '../route.ts'
import { readBytes } from '../read-call.ts'

export const liveRoutes = implement(liveApi, {
  async listLive({ context, query: { node, settled } }) {
    await context.live.listed?.()
    if (settled === 'true') await context.live.restored?.()
    const here = node === 'here' || node === context.ledger.node
    const live = context.live.list()
    if (node === undefined) return { live }
    return { live: live.filter((info) => (here ? info.node === undefined : info.node?.id === node)) }
  },

  async startSession({ context, body, who }) {
    const live = await context.live.start(body)
    const { prompt, promptKind } = body
    if (prompt !== undefined && promptKind !== undefined) {
      const content = [{ type: 'text' as const, text: prompt }]
      const command = { target: live, body: { kind: 'prompt' as const, content, promptKind } }
      await auditCommand(context, command, requireWho(who))
    }
    return live
  },

  async listAdoptable({ context }) {
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

  async adoptSession({ context, body }) {
    // Opening only sockets that we found ourselves keeps clients from choosing one.
    const found = (await context.live.adoptable()).find(
      ({ address }) => address.socket === body.socket && address.pane === body.pane,
    )
    if (!found) throw new RemoraError('not_found', `No agent to adopt in pane ${body.pane}`)
    return context.live.adopt(found)
  },

  async getLive(call) {
    const live = await find(call)
    const frame = call.context.live.frame(live.id)
    return { ...live, ...(frame ? { frame } : {}) }
  },

  async sendPrompt(call) {
    const { body } = call
    const content = 'text' in body ? [{ type: 'text' as const, text: body.text }] : body.content
    const { promptKind } = body
    const prompt = { kind: 'prompt' as const, content, ...(promptKind ? { promptKind } : {}) }
    if (body.via === undefined) return submit(call, prompt, body.id)
    checkMcpPrompt(await find(call), getPromptKind(prompt), body.unattended)
    return submit({ ...call, who: toMcpIdentity(requireWho(call.who)) }, prompt, body.id)
  },

  cancelTurn: (call) => submit(call, { kind: 'cancel' }, call.body.id),
  endSession: (call) => submit(call, { kind: 'end' }, call.body.id),
  deleteLive: (call) => submit(call, { kind: 'end' }),
  setMode: (call) => submit(call, { kind: 'mode', mode: call.body.mode }, call.body.id),
  setModel: (call) => submit(call, { kind: 'model', model: call.body.model }, call.body.id),
  releaseSession: async (call) => call.context.live.release((await find(call)).id),
})

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

export const askRoutes = implement(asksApi, {
  async listAsks({ context }) {
    // A session reopens its asks when it is restored; until then they count as abandoned.
    await context.live.restored?.()
    return { asks: await context.approvals.pending() }
  },
  answerAsk({ context, body: { agent, session, ...choice }, who }) {
    return answerAsk(context, { agent, session }, choice, requireWho(who))
  },
})

export const commandRoutes = implement(commandsApi, {
  async listCommands({ context, query: { agent, session, state = 'queued' } }) {
    if ((agent === undefined) !== (session === undefined))
      throw new HttpError(400, 'usage', 'A session needs an agent and an ID')
    const filter = agent !== undefined && session !== undefined ? { session: { agent, session } } : {}
    return { commands: await context.ledger.commands.list({ ...filter, state }) }
  },
  async editCommand({ context, params, body, who }) {
    const command = await context.live.edit(params, body.body)
    await auditCommand(context, command, requireWho(who))
    return { command }
  },
  withdrawCommand: async ({ context, params }) => ({ command: await context.live.withdraw(params) }),
})

/** A tool call may contain a whole file. */
const maxBytes = 32 * 1024 * 1024

export const hookRoutes = implement(hooksApi, {
  async waitForDecision({ context, query: { agent, live: id = '' }, who, request }) {
    const { live, hooks, log, signal } = context
    // Hooks run on this machine only, so the route does not exist for devices.
    if (!hooks || who?.kind !== 'user') throw new HttpError(404, 'not_found', 'Not found')
    // A payload that is nested too deeply cannot be shown exactly, so the dialog on the screen decides.
    const payload = parsePayload(await readBytes(request, maxBytes))
    const found = live.list().find((each) => each.id === id)
    const event = findAgent(agent ?? '')?.hooks?.approval
    const known = found?.agent === agent && found?.channel === 'terminal'
    if (!known || event === undefined || !isRequest(payload, event) || signal.aborted) {
      log('warn', 'Hook request for an unknown session', { agent, live: id })
      return {}
    }
    return { ...(await hooks.wait({ live: id, payload, signal: request.signal })) }
  },
})

function parsePayload(bytes: Buffer): unknown {
  try {
    return parseJson(bytes.toString())
  } catch {
    return undefined
  }
}

function isRequest(payload: unknown, event: string): payload is Record<string, unknown> {
  return (
    typeof payload === 'object' &&
    payload !== null &&
    (payload as Record<string, unknown>)['hook_event_name'] === event
  )
}
