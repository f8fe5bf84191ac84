import { fetchWithRetry } from './fetch-with-retry.ts'

/** What the server said when it did not do what was asked; without a connection the code is `network`. */
export class ApiError extends Error {
  readonly code: string
  readonly status: number
  readonly hint: string | undefined

  constructor(status: number, code: string, message: string, hint?: string) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.hint = hint
  }
}

type Query = Record<string, string | number | boolean | undefined>

/** @example await api.get<{ sessions: SessionInfo[] }>('/api/sessions', { limit: 50 }) */
export const api = {
  get: <T>(path: string, query?: Query, signal?: AbortSignal) =>
    call<T>('GET', path + written(query), undefined, signal),
  post: <T>(path: string, body: unknown = {}, signal?: AbortSignal) => call<T>('POST', path, body, signal),
  patch: <T>(path: string, body: unknown) => call<T>('PATCH', path, body),
  delete: <T>(path: string) => call<T>('DELETE', path),
  /** Sends a file as it is. */
  upload: <T>(path: string, file: Blob, query?: Query, signal?: AbortSignal) =>
    call<T>('POST', path + written(query), file, signal),
}

/** The address of a session's part of the API. @example sessionPath(key, '/messages') */
export function sessionPath({ agent, session }: SessionKey, rest = ''): string {
  return `/api/sessions/${encodeURIComponent(agent)}/${encodeURIComponent(session)}${rest}`
}

export interface SessionKey {
  readonly agent: string
  readonly session: string
}

/** Told when the server does not know this device any more. */
export const unpaired = new EventTarget()

async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const isFile = body instanceof Blob
  const init: RequestInit = {
    method,
    credentials: 'same-origin',
    ...(signal ? { signal } : {}),
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
  if (response.status === 204) return undefined as T
  const answer = (await response.json().catch((error: unknown) => {
    // An answer that was cut short is none.
    if (signal?.aborted) throw error
    if (response.ok) throw new ApiError(0, 'network', 'The server response was incomplete. Try again.')
    return {}
  })) as {
    error?: { code?: string; message?: string; hint?: string }
  }
  if (response.ok) return answer as T
  const { code = 'unknown', message = response.statusText, hint } = answer.error ?? {}
  if (response.status === 401) unpaired.dispatchEvent(new Event('unpaired'))
  throw new ApiError(response.status, code, message, hint)
}

function written(query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}
