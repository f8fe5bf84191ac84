import type { SignInMethod } from '@remora/protocol'
import { type ClientRequest, createClient, readError } from '@remora/protocol/client'
import { fetchWithRetry } from './fetch-with-retry.ts'

/** An error response of the server. Without a connection the code is `network`. */
export class ApiError extends Error {
  readonly code: string
  readonly status: number
  readonly hint: string | undefined
  /** How the user can sign in to the agent that a start was refused by. */
  readonly signIn: readonly SignInMethod[] | undefined

  constructor(
    status: number,
    code: string,
    message: string,
    hint?: string,
    signIn?: readonly SignInMethod[],
  ) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.hint = hint
    this.signIn = signIn
  }
}

/** Calls the server. @example const { sessions } = await api.get('/api/sessions', { query: { limit: 50 } }) */
export const api = createClient(send)

export interface SessionKey {
  readonly agent: string
  readonly session: string
}

/** Dispatches `unpaired` when the server no longer knows this device. */
export const unpaired = new EventTarget()

async function send({ method, path, body, signal }: ClientRequest): Promise<unknown> {
  const isFile = body instanceof Blob
  const init: RequestInit = {
    method,
    credentials: 'same-origin',
    signal,
    ...(body === undefined
      ? {}
      : {
          body: isFile ? body : JSON.stringify(body),
          headers: { 'content-type': isFile ? 'application/octet-stream' : 'application/json' },
        }),
  }
  const response = await fetchWithRetry(path, init).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw new ApiError(0, 'network', 'Cannot reach the server')
  })
  if (response.status === 204) return undefined
  const json: unknown = await response.json().catch((error: unknown) => {
    if (signal?.aborted) throw error
    if (response.ok) throw new ApiError(0, 'network', 'The server response was incomplete. Try again.')
    return {}
  })
  if (response.ok) return json
  if (response.status === 401) unpaired.dispatchEvent(new Event('unpaired'))
  const { code = 'unknown', message = response.statusText, hint, signIn } = readError(json)
  throw new ApiError(response.status, code, message, hint, signIn)
}
