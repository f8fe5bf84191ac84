import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { Agent, Place } from './agent.ts'
import { Connection } from './channels/acp/connection.ts'
import { findAcpAgent } from './channels/acp/found-agent.ts'
import type { AcpCommand, ConnectOptions } from './channels/acp/options.ts'
import { checkPermissions } from './channels/acp/permissions/check-permissions.ts'

/**
 * Starts an agent that stays, for as many sessions and prompts as one likes: one of ours, or any that speaks ACP by
 * its command line.
 *
 * @example
 * await using connection = await connect('gemini', { permissions: 'auto' })
 * const session = await connection.open({ cwd: '/home/me/project' })
 * const { text } = await session.prompt('What is in this folder?').result
 */
export async function connect(
  agent: Agent | AcpCommand | string,
  options: ConnectOptions = {},
): Promise<Connection> {
  checkOptions(options)
  const env = { ...process.env, ...options.env }
  const place: Place = {
    env,
    home: options.env?.['HOME'] ?? homedir(),
    cwd: resolve(options.cwd ?? process.cwd()),
  }
  const target = typeof agent === 'string' ? await byName(agent) : agent
  return Connection.start(await findAcpAgent(target, place), options, async (cwd) => {
    if ('command' in target) return undefined
    const { sessions } = await import('./sessions.ts')
    const [last] = await sessions.list({ agent: target.id, cwd, limit: 1, env, home: place.home })
    return last?.id
  })
}

/** Loaded when they are needed: a program that brings its own agent need not wait for ours. */
async function byName(name: string): Promise<Agent> {
  const { agents, findAgent } = await import('./registry.ts')
  const found = findAgent(name)
  if (found) return found
  throw new RemoraError('usage', `There is no agent "${name}"`, {
    hint: `Known agents: ${agents()
      .map(({ id }) => id)
      .join(', ')}; any other by { command, args }`,
  })
}

function checkOptions({ permissions, asks, startupTimeout, stuck }: ConnectOptions): void {
  if (permissions !== undefined) checkPermissions(permissions)
  const wrong = (message: string, hint: string) => new RemoraError('usage', `connect: ${message}`, { hint })
  if (permissions === 'ask' && !asks)
    throw wrong('permissions "ask" needs somebody to ask', 'Give asks, or choose auto or deny.')
  if (startupTimeout !== undefined && !(startupTimeout > 0))
    throw wrong(`startupTimeout is ${startupTimeout}`, 'Give milliseconds above zero.')
  if (stuck && !(stuck.afterMs > 0))
    throw wrong(`stuck.afterMs is ${stuck.afterMs}`, 'Give milliseconds above zero.')
}
