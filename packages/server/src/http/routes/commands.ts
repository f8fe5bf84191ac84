import { asksApi, commandsApi } from '@remora/protocol/api'
import { HttpError } from '../../security/http-error.ts'
import { requireWho } from '../../security/roles.ts'
import { answerAsk } from '../../ws/answer-ask.ts'
import { auditCommand } from '../../ws/submit-command.ts'
import { implement } from '../route.ts'

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
