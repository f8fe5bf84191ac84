import { RemoraError } from '@remora/protocol/plain'
import type { AgentProcess } from './agent-process.ts'
import type { FoundAgent } from './found-agent.ts'
import { Greeting } from './greeting.ts'
import type { ConnectOptions } from './options.ts'
import { within } from './within.ts'

/** Says hello to an agent that was just started, and hears what it can do. */
export async function greet(
  agent: AgentProcess,
  { title, quirks }: Pick<FoundAgent, 'title' | 'quirks'>,
  { startupTimeout = 30_000, files, terminals }: ConnectOptions,
  signal: AbortSignal | undefined,
): Promise<Greeting> {
  const hello = agent.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: {
      fs: {
        readTextFile: files?.read === true && !quirks.readsByItself,
        writeTextFile: files?.write === true,
      },
      terminal: Boolean(terminals),
    },
    clientInfo: { name: 'remora', title: 'Remora', version: '0.1.0' },
  })
  const greeting = new Greeting(await within(hello.catch(notAnAgent), startupTimeout, signal, title))
  const { protocolVersion } = greeting
  if (protocolVersion !== 1)
    throw new RemoraError('unsupported', `${title} speaks version ${String(protocolVersion)} of ACP, not 1`, {
      hint: 'Another version of the agent may speak it.',
    })
  return greeting
}

/** What ends or is not understood at the first word is often no ACP agent at all, or was started wrongly. */
function notAnAgent(error: unknown): never {
  if (!RemoraError.is(error)) throw error
  throw new RemoraError(error.code, error.message, {
    hint: 'Start it by hand to see what it says, and check that it speaks ACP with these arguments.',
    cause: error,
  })
}
