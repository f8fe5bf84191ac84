import type { RemoraError } from '@remora/protocol/plain'
import { type ServerClient, serverClient } from '@remora/server/client'
import { fail } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import { remoraHome } from '../home/remora-home.ts'

type Where = Pick<Io, 'env' | 'home'>

export interface Asking {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  /** How long the server may take. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
}

const usualMs = 15_000

/**
 * Asks the running server. What it refuses is thrown as it says it; where none runs, or it ends meanwhile, that is said.
 *
 * @example const { live } = await askServer<{ live: LiveInfo[] }>(io, '/api/live')
 */
export async function askServer<T>(io: Where, path: string, asking: Asking = {}): Promise<T> {
  const { method = 'GET', body, timeoutMs = usualMs, signal } = asking
  const client = clientOf(io)
  const ask = () =>
    client.request<T>(method, path, {
      timeoutMs,
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
    })
  try {
    return await ask()
  } catch (error) {
    // A connection that was kept from before a restart says nothing of the server that runs now.
    if (method === 'GET' && isCut(error) && !signal?.aborted)
      return await ask().catch(async (again: unknown) => {
        throw await told(again, signal)
      })
    throw await told(error, signal)
  }
}

/** One that is there answers, however busy the machine is; where there is none, that is known at once. */
const healthMs = 10_000

/** What the server says of itself; undefined where none answers. */
export async function serverHealth(
  io: Where,
  timeoutMs = healthMs,
): Promise<{ version: string } | undefined> {
  try {
    return await clientOf(io).request<{ version: string }>('GET', '/health', { timeoutMs })
  } catch {
    return undefined
  }
}

function clientOf(io: Where): ServerClient {
  return serverClient({ remoraHome: remoraHome(io) })
}

function isCut(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')
}

async function told(error: unknown, signal: AbortSignal | undefined): Promise<unknown> {
  if (signal?.aborted) return fail('aborted', 'Cancelled', 'Run the command again to retry.')
  if (isCut(error)) return fail('network', 'The server stopped during the request', 'Start it: remora serve')
  const { code, message, hint } = error as RemoraError
  return hint === undefined && code === 'timeout_total'
    ? fail(code, message, 'Check the log: remora logs')
    : error
}
