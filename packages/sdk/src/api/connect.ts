import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { Agent, Place } from '../contract/agent.ts'
import { checkConnectOptions } from '../channels/acp/check-options.ts'
import { Connection } from '../channels/acp/connection.ts'
import { findAcpAgent } from '../channels/acp/found-agent.ts'
import type { KeptSessions } from '../channels/acp/open-session.ts'
import type { AcpCommand, ConnectOptions } from '../channels/acp/options.ts'

/**
 * Starts an agent for any number of sessions and prompts: one of ours, or any ACP agent by its command line.
 *
 * @example
 * await using connection = await connect('gemini', { permissions: 'allow' })
 * const session = await connection.open({ cwd: '/home/me/project' })
 * const { text } = await session.prompt('What is in this folder?').result
 */
export async function connect(
  agent: Agent | AcpCommand | string,
  options: ConnectOptions = {},
): Promise<Connection> {
  checkConnectOptions(options)
  const target = await findTarget(agent)
  const env = { ...process.env, ...options.env }
  const place: Place = {
    env,
    home: options.env?.['HOME'] ?? homedir(),
    cwd: resolve(options.cwd ?? process.cwd()),
  }
  const { permissions } = options
  // A caller that answers or denies requests needs them, whatever the user's configuration of the agent says.
  const asking = permissions === 'ask' || permissions === 'deny' ? 'default' : undefined
  const found = await findAcpAgent(target, place, { requested: options.mode, otherwise: asking })
  return Connection.start(found, options, keptSessions(target, place))
}

/** Looks up sessions in the agent's own files, if these are known. */
function keptSessions(target: Agent | AcpCommand, { env, home }: Place): KeptSessions {
  if ('command' in target || !target.transcripts)
    return { latest: async () => undefined, has: async () => true }
  const files = async () => (await import('./sessions.ts')).sessions
  return {
    async latest(cwd) {
      const [last] = await (await files()).list({ agent: target.id, cwd, limit: 1, env, home })
      return last?.id
    },
    has: async (id) => (await (await files()).find(id, { env, home })) !== undefined,
  }
}

/** Loads our agents on demand, so that a program with its own agent does not wait for them. */
async function findTarget(agent: Agent | AcpCommand | string): Promise<Agent | AcpCommand> {
  if (typeof agent === 'object' && agent !== null && ('command' in agent || 'detection' in agent))
    return agent
  const { findAgent, listAgentIds } = await import('../agents/registry.ts')
  const found = typeof agent === 'string' ? findAgent(agent) : undefined
  if (found) return found
  throw new RemoraError('usage', `There is no agent ${JSON.stringify(agent) ?? 'given'}`, {
    hint: `Known agents: ${listAgentIds()}; any other by { command, args }`,
  })
}
