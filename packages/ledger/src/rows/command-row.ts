import {
  type Command,
  type CommandBody,
  type CommandState,
  RemoraError,
  canMove,
} from '@remora/protocol/plain'

/** A command as a database returns it. */
export interface CommandRow {
  readonly client: string
  readonly id: string
  readonly agent: string
  readonly session: string
  readonly state: string
  readonly at: number
  readonly body: string
  readonly reason: string | null
}

export function toCommand(row: CommandRow): Command {
  return {
    id: row.id,
    client: row.client,
    target: { agent: row.agent, session: row.session },
    body: JSON.parse(row.body) as CommandBody,
    state: row.state as CommandState,
    at: row.at,
    ...(row.reason === null ? {} : { reason: row.reason }),
  }
}

export const commandColumns = 'client, id, agent, session, state, at, body, reason'

export function toCommandValues(command: Command): (string | number | null)[] {
  const { client, id, target, state, at, body, reason = null } = command
  return [client, id, target.agent, target.session, state, at, JSON.stringify(body), reason]
}

export function checkTransition(from: CommandState, to: CommandState): void {
  if (!canMove(from, to)) throw new RemoraError('usage', `A command cannot change from ${from} to ${to}`)
}
