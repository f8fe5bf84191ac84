import { type Client, type ClientRequest, createClient } from '@remora/protocol/client'
import type { RemoraError } from '@remora/protocol/plain'
import { type ServerClient, createServerClient } from '@remora/server/client'
import { fail } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import { remoraHome } from '../home/remora-home.ts'

type Where = Pick<Io, 'env' | 'home'>

const defaultTimeoutMs = 15_000

/**
 * Calls the running server and throws its errors. A missing server, or one that stops meanwhile, is an error with a hint.
 *
 * @example const { live } = await askServer(io).get('/api/live')
 */
export function askServer(io: Where): Client {
  const client = createServerClient({ remoraHome: remoraHome(io) })
  return createClient((request) => send(client, request))
}

async function send(client: ServerClient, request: ClientRequest): Promise<unknown> {
  const { method, path, body, timeoutMs = defaultTimeoutMs, signal } = request
  const ask = () => client.request(method, path, { body, timeoutMs, signal })
  try {
    return await ask()
  } catch (error) {
    // A reused connection may belong to a previous server, so the request is retried once.
    if (method === 'GET' && isCut(error) && !signal?.aborted)
      return await ask().catch(async (again: unknown) => {
        throw await toClientError(again, signal)
      })
    throw await toClientError(error, signal)
  }
}

/** A missing server is detected at once, so the timeout only has to cover a busy machine. */
const healthMs = 10_000

/** Gets the version of the running server; undefined if none responds. */
export async function serverHealth(
  io: Where,
  timeoutMs = healthMs,
): Promise<{ version: string } | undefined> {
  try {
    return await askServer(io).get('/health', { timeoutMs })
  } catch {
    return undefined
  }
}

function isCut(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')
}

/** Explains an error of a request, with a hint. */
async function toClientError(error: unknown, signal: AbortSignal | undefined): Promise<unknown> {
  if (signal?.aborted) return fail('aborted', 'Cancelled', 'Run the command again to retry.')
  if (isCut(error)) return fail('network', 'The server stopped during the request', 'Start it: remora serve')
  const { code, message, hint } = error as RemoraError
  return hint === undefined && code === 'timeout_total'
    ? fail(code, message, 'Check the log: remora logs')
    : error
}
