import { agents } from '@remora/sdk'
import { readAddedAgents, removeAddedAgent } from '@remora/sdk/plugins'
import { UsageError, fail } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import { nearest } from '../../command/nearest.ts'
import type { Input } from '../../command/verb.ts'
import { remoraHome } from '../../home/remora-home.ts'

/** Removes an agent that the user added. */
export async function removeAgent({ positionals, values }: Input, io: Io): Promise<number> {
  const id = positionals[0]!
  const known = (await readAddedAgents(remoraHome(io))).map((agent) => agent.id)
  if (!known.includes(id)) {
    if (agents().some((agent) => agent.id === id))
      throw new UsageError(
        `${id} is part of Remora and cannot be removed`,
        known.length > 0 ? `Agents that you added: ${known.join(', ')}` : 'You have not added any agents.',
      )
    const near = nearest(id, known)
    throw await fail(
      'not_found',
      `You have not added an agent "${id}"`,
      near ? `Did you mean: remora agents remove ${near}?` : 'See: remora agents',
    )
  }
  const removed = await removeAddedAgent(remoraHome(io), id)
  if (values['json']) {
    const env = removed?.kind === 'acp' && removed.env ? { env: Object.keys(removed.env) } : {}
    io.out(`${JSON.stringify({ ...removed, ...env }, null, 2)}\n`)
  } else io.out(`Removed ${id}. Its sessions stay in the ledger.\n`)
  return 0
}
