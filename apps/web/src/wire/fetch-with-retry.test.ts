import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ApiError, api } from './api.ts'
import { rateLimit } from './fetch-with-retry.ts'

/** What the server answers, one after the other; the last one again and again. */
let answers: (() => Response)[] = []
let requests: string[] = []

beforeEach(() => {
  vi.useFakeTimers()
  requests = []
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    requests.push(`${init.method} ${path} ${typeof init.body === 'string' ? init.body : ''}`.trim())
    return (answers.length > 1 ? answers.shift()! : answers[0]!)()
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const refuse =
  (headers: Record<string, string> = {}) =>
  () =>
    Response.json({ error: { code: 'rate_limit', message: 'Too many requests' } }, { status: 429, headers })
const accept = () => Response.json({ sessions: [] })

it('waits as Retry-After says and repeats a read', async () => {
  answers = [refuse({ 'retry-after': '2' }), accept]
  const answer = api.get('/api/sessions')
  await vi.advanceTimersByTimeAsync(1_900)
  expect(requests).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await answer).toEqual({ sessions: [] })
  expect(requests).toEqual(['GET /api/sessions', 'GET /api/sessions'])
})

it('repeats a command that the server refused before reading it, with the same id', async () => {
  answers = [refuse({ 'retry-after': '1' }), accept]
  const answer = api.post('/api/live/:id/send', {
    params: { id: 'l-1' },
    body: { id: 'p1', text: 'Hello' },
  })
  await vi.advanceTimersByTimeAsync(2_000)
  await answer
  expect(requests[1]).toBe('POST /api/live/l-1/send {"id":"p1","text":"Hello"}')
  expect(requests[1]).toBe(requests[0])
})

it('backs off without Retry-After, for reads only', async () => {
  answers = [refuse(), refuse(), accept]
  const answer = api.get('/api/sessions')
  await vi.advanceTimersByTimeAsync(3_000)
  expect(await answer).toEqual({ sessions: [] })
  expect(requests).toHaveLength(3)
  answers = [refuse()]
  await expect(api.post('/api/pair', { body: { code: '', name: '' } })).rejects.toMatchObject({ status: 429 })
})

it('gives up after five attempts, and at once if the wait is long', async () => {
  answers = [refuse({ 'retry-after': '1' })]
  const answer = api.get('/api/sessions').catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await answer).toBeInstanceOf(ApiError)
  expect(requests).toHaveLength(5)
  answers = [refuse({ 'retry-after': '900' })]
  await expect(api.get('/api/me')).rejects.toMatchObject({ status: 429, code: 'rate_limit' })
})

it('reports a long wait until no request waits any more', async () => {
  const states: boolean[] = []
  const note = (): void => void states.push(rateLimit.isSlow)
  rateLimit.addEventListener('change', note)
  answers = [refuse({ 'retry-after': '1' }), accept]
  const short = api.get('/api/live')
  await vi.advanceTimersByTimeAsync(2_000)
  await short
  expect(states).toEqual([])
  answers = [refuse({ 'retry-after': '4' }), accept]
  const long = api.get('/api/live')
  await vi.advanceTimersByTimeAsync(3_100)
  expect(states).toEqual([true])
  await vi.advanceTimersByTimeAsync(3_000)
  await long
  expect(states).toEqual([true, false])
  rateLimit.removeEventListener('change', note)
})

it('stops waiting when the request is aborted', async () => {
  answers = [refuse({ 'retry-after': '5' }), accept]
  const stop = new AbortController()
  const answer = api.get('/api/me', { signal: stop.signal }).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(100)
  stop.abort()
  expect(await answer).toMatchObject({ name: 'AbortError' })
  expect(requests).toHaveLength(1)
})
