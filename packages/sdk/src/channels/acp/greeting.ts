import { RemoraError, type SignInMethod } from '@remora/protocol/plain'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import type { PromptCapabilities } from './prompt-content.ts'
import type { AgentProcess } from './agent-process.ts'
import type { FoundAgent } from './found-agent.ts'
import type { ConnectOptions } from './options.ts'

/** A way to sign in that the agent offers. */
export type AuthMethod = SignInMethod

/** The agent's response to `initialize`. Its fields are unchecked. */
export class Greeting {
  readonly #reply: AgentRecord

  constructor(reply: AgentRecord = {}) {
    this.#reply = reply
  }

  get protocolVersion(): unknown {
    return this.#reply['protocolVersion']
  }

  get info(): { readonly name?: string; readonly title?: string; readonly version?: string } {
    return asRecord(this.#reply['agentInfo']) ?? {}
  }

  get capabilities(): AgentRecord {
    return asRecord(this.#reply['agentCapabilities']) ?? {}
  }

  get authMethods(): readonly AuthMethod[] {
    const methods = this.#reply['authMethods']
    return (Array.isArray(methods) ? (methods as unknown[]) : []).flatMap((each) => {
      const { id, name, description } = asRecord(each) ?? {}
      return typeof id === 'string'
        ? [{ id, name: asString(name) ?? id, ...(typeof description === 'string' ? { description } : {}) }]
        : []
    })
  }

  /** The content types that a prompt may have. */
  get takes(): PromptCapabilities {
    const prompt = asRecord(this.capabilities['promptCapabilities'])
    return {
      image: prompt?.['image'] === true,
      audio: prompt?.['audio'] === true,
      embeddedContext: prompt?.['embeddedContext'] === true,
    }
  }

  get takesHttpServers(): boolean {
    return asRecord(this.capabilities['mcpCapabilities'])?.['http'] === true
  }

  /** Whether the agent supports a session method. */
  can(what: 'close' | 'fork' | 'list' | 'load' | 'resume'): boolean {
    if (what === 'load') return this.capabilities['loadSession'] === true
    return asRecord(asRecord(this.capabilities['sessionCapabilities'])?.[what]) !== undefined
  }
}

/** Initializes the connection to an agent that was just started. */
export async function greet(
  agent: AgentProcess,
  { title, quirks }: Pick<FoundAgent, 'title' | 'quirks'>,
  { startupTimeout = 60_000, files, terminals }: ConnectOptions,
  signal: AbortSignal | undefined,
): Promise<Greeting> {
  const hello = agent.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: {
      fs: {
        readTextFile: files?.read === true && !quirks.readsFilesItself,
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

/** A failure at `initialize` often means that the program is not an ACP agent or has wrong arguments. */
function notAnAgent(error: unknown): never {
  if (!RemoraError.is(error)) throw error
  throw new RemoraError(error.code, error.message, {
    hint: 'Start it by hand to see what it says, and check that it speaks ACP with these arguments.',
    cause: error,
  })
}

/** Settles like the promise, or rejects at the startup timeout or on abort. */
async function within<T>(
  promise: Promise<T>,
  ms: number,
  signal: AbortSignal | undefined,
  title: string,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  let abort: (() => void) | undefined
  promise.catch(() => {})
  try {
    return await Promise.race([
      promise,
      new Promise<never>((_, reject) => {
        timer = setTimeout(
          () =>
            reject(
              new RemoraError('timeout_startup', `${title} did not answer within ${ms} ms of its start`, {
                hint: 'Give it more time with startupTimeout, or start it by hand to see what it waits for.',
              }),
            ),
          ms,
        )
        abort = () => reject(new RemoraError('aborted', 'The start was cancelled', { cause: signal?.reason }))
        if (signal?.aborted) abort()
        signal?.addEventListener('abort', abort)
      }),
    ])
  } finally {
    clearTimeout(timer)
    if (abort) signal?.removeEventListener('abort', abort)
  }
}
