import { describe, expect, expectTypeOf, it } from 'vitest'
import type { LiveInfo, Message } from './index.ts'
import { type ClientRequest, createClient } from './client.ts'

const sent: ClientRequest[] = []
const client = createClient(async (request) => {
  sent.push(request)
  return undefined
})

describe('createClient', () => {
  it('fills parameters and the query into the path', async () => {
    await client.get('/api/sessions/:agent/:session/messages', {
      params: { agent: 'claude', session: 'a/b c' },
      query: { limit: 50, originals: true, before: undefined },
    })
    expect(sent.pop()).toEqual({
      method: 'GET',
      path: '/api/sessions/claude/a%2Fb%20c/messages?limit=50&originals=true',
      body: undefined,
    })
  })

  it('sends an empty object where every field of the body is optional', async () => {
    await client.post('/api/live/:id/end', { params: { id: 'l-1' } })
    expect(sent.pop()).toEqual({ method: 'POST', path: '/api/live/l-1/end', body: {} })
    await client.delete('/api/live/:id', { params: { id: 'l-1' } })
    expect(sent.pop()?.body).toBeUndefined()
  })

  it('types calls by the table of routes', () => {
    const list = () => client.get('/api/live')
    expectTypeOf(list).returns.resolves.toEqualTypeOf<{ live: LiveInfo[] }>()
    const page = () =>
      client.get('/api/sessions/:agent/:session/messages', { params: { agent: 'a', session: 's' } })
    expectTypeOf(page).returns.resolves.toHaveProperty('messages').toEqualTypeOf<Message[]>()
    const revoke = () => client.delete('/api/devices/:id', { params: { id: 'd' } })
    expectTypeOf(revoke).returns.resolves.toEqualTypeOf<undefined>()
    // @ts-expect-error The table has no such path.
    expectTypeOf(() => client.get('/api/lives')).toBeFunction()
    // @ts-expect-error The path needs an id.
    expectTypeOf(() => client.get('/api/live/:id')).toBeFunction()
    // @ts-expect-error The body needs an agent and a folder.
    expectTypeOf(() => client.post('/api/live', { body: {} })).toBeFunction()
    // @ts-expect-error The limit is a number.
    expectTypeOf(() => client.get('/api/sessions', { query: { limit: 'all' } })).toBeFunction()
  })
})
