import { Answer, Ask, Command, CommandBody, CommandState } from '@remora/protocol'
import { z } from 'zod'
import { answerAsk } from '../../ws/answer-ask.ts'
import { auditCommand } from '../../ws/submit-command.ts'
import { requireWho } from '../../security/roles.ts'
import { HttpError } from '../../security/http-error.ts'
import { route } from '../route.ts'
import { word } from '../shapes.ts'

const CommandParams = z.object({ client: word, id: word })

export const askRoutes = [
  route({
    method: 'get',
    path: '/api/asks',
    summary: 'What agents wait for',
    access: 'viewer',
    shapes: {
      response: z.object({ asks: z.array(z.object({ agent: z.string(), session: z.string(), ask: Ask })) }),
    },
    async handle({ context }) {
      // A session reopens its asks when it is restored; until then they count as abandoned.
      await context.live.restored?.()
      return { asks: await context.approvals.pending() }
    },
  }),
  route({
    method: 'post',
    path: '/api/asks/answer',
    summary:
      'Answers one. The first answer counts; `won` says whether it was this one, and `answer` is the one that counts',
    access: 'member',
    shapes: {
      body: z.strictObject({
        agent: word,
        session: word,
        ask: z.string().min(1).max(500),
        digest: z.string().min(1).max(200),
        option: z.string().max(500).optional(),
        text: z.string().max(100_000).optional(),
      }),
      response: z.object({ won: z.boolean(), answer: Answer, effect: z.enum(['done', 'gone']).optional() }),
    },
    handle({ context, body: { agent, session, ...choice }, who }) {
      return answerAsk(context, { agent, session }, choice, requireWho(who))
    },
  }),
]

export const commandRoutes = [
  route({
    method: 'get',
    path: '/api/commands',
    summary: 'Commands in the order in which they came: those that wait, unless a state is named',
    access: 'viewer',
    shapes: {
      query: z.object({ agent: word.optional(), session: word.optional(), state: CommandState.optional() }),
      response: z.object({ commands: z.array(Command) }),
    },
    async handle({ context, query: { agent, session, state } }) {
      if ((agent === undefined) !== (session === undefined))
        throw new HttpError(400, 'usage', 'A session needs an agent and an ID')
      const of = agent !== undefined && session !== undefined ? { session: { agent, session } } : {}
      return { commands: await context.ledger.commands.list({ ...of, state: state ?? 'queued' }) }
    },
  }),
  route({
    method: 'patch',
    path: '/api/commands/:client/:id',
    summary: 'Other words for a prompt that waits',
    access: 'member',
    shapes: {
      params: CommandParams,
      body: z.strictObject({ body: CommandBody }),
      response: z.object({ command: Command }),
    },
    async handle({ context, params, body, who }) {
      const command = await context.live.edit(params, body.body)
      await auditCommand(context, command, requireWho(who))
      return { command }
    },
  }),
  route({
    method: 'delete',
    path: '/api/commands/:client/:id',
    summary: 'Takes a prompt back that waits',
    access: 'member',
    shapes: { params: CommandParams, response: z.object({ command: Command }) },
    handle: async ({ context, params }) => ({ command: await context.live.withdraw(params) }),
  }),
]
