import { mkdtempSync, rmSync } from 'node:fs'
import { ClientMessage, CommandBody, type PersonRole } from '@remora/protocol'
import { type RouteContract, api } from '@remora/protocol/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestClient, openSocket } from '../http/server.test-data.ts'
import type { RunningServer } from '../start-server.ts'
import { startServerIn } from '../http/whole-server.test-data.ts'
import { type Access, commandRoles, includesRole, messageRoles } from './roles.ts'

interface Operation {
  readonly 'x-access': Access
  readonly requestBody?: { readonly content: Record<string, unknown> }
}
interface Description {
  readonly paths: Record<string, Record<string, Operation>>
  readonly 'x-websocket-access': typeof tables
}

/** Ninety requests, some of which detect agents, take long on a busy machine. */
const timeoutMs = 120_000
const tables = { messages: messageRoles, commands: commandRoles }
let folder: string
let server: RunningServer

beforeAll(async () => {
  folder = mkdtempSync('/tmp/rr-')
  server = await startServerIn(folder)
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

async function pair(role: PersonRole): Promise<{ id: string; token: string }> {
  const { people, pairing } = server.listening
  const { person } = await people.enrol(`the ${role}`, role, 'test')
  const { code } = pairing.create(person.name)
  const { json } = await call('POST', '/api/pair', undefined, { code, name: 'phone', token: true })
  return { id: (json['device'] as { id: string }).id, token: json['token'] as string }
}

async function call(method: string, path: string, token: string | undefined, body?: unknown) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const json = (isJson ? JSON.parse(text) : {}) as Record<string, unknown> & {
    error?: { code: string; message: string; hint?: string }
  }
  return { status: response.status, json }
}

describe('every route', () => {
  it('requires the expected role', () => {
    const all = Object.values<RouteContract>(api).filter(({ path }) => path.startsWith('/api'))
    const named = (access: Access) =>
      all
        .filter((route) => route.access === access)
        .map(({ method, path }) => `${method} ${path}`)
        .toSorted()
    expect(named('open')).toEqual(['post /api/pair'])
    expect(named('user')).toEqual(['post /api/pair/code'])
    expect(named('owner')).toEqual([
      'delete /api/devices/:id',
      'delete /api/people/:name',
      'patch /api/people/:name',
    ])
    // Routes that change only the calling device.
    expect(named('viewer').filter((each) => !each.startsWith('get '))).toEqual([
      'delete /api/me',
      'patch /api/devices/:id',
      'patch /api/push/preferences',
      'post /api/push/subscribe',
      'post /api/push/test',
      'post /api/push/unsubscribe',
    ])
    expect(named('member').filter((each) => each.startsWith('get '))).toEqual([])
    expect(named('member').length).toBeGreaterThan(20)
  })

  it.each(['viewer', 'member', 'owner'] as const)(
    'is open to a %s as declared',
    async (role) => {
      const { id, token } = await pair(role)
      const { json } = await call('GET', '/api/openapi.json', token)
      const { paths } = json as unknown as Description
      const operations = Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ method, path, ...operation })),
      )
      expect(operations.length).toBeGreaterThan(70)
      // Routes that remove the device come last.
      operations.sort((a, b) => Number(isLeaving(a)) - Number(isLeaving(b)))
      for (const { method, path, requestBody, 'x-access': access } of operations) {
        const place = path
          .replace('/api/devices/{id}', `/api/devices/${method === 'patch' ? id : 'd-none'}`)
          .replaceAll(/\{\w+\}/g, 'none')
        const body = requestBody && 'application/json' in requestBody.content ? {} : undefined
        const { status, json: response } = await call(method.toUpperCase(), place, token, body)
        const mayIt = access === 'open' || (access !== 'user' && includesRole(role, access))
        const what = `${method} ${path}: ${status}`
        expect(response.error?.code === 'forbidden', what).toBe(!mayIt)
        if (mayIt) continue
        expect(status, what).toBe(403)
        expect(response.error?.hint, what).toMatch(/remora/)
      }
    },
    timeoutMs,
  )

  it('that is not declared does not exist for devices, and is not revealed without a token', async () => {
    const { token } = await pair('owner')
    expect((await call('POST', '/api/hooks/ask', token, {})).status).toBe(404)
    expect((await call('POST', '/api/hooks/ask', undefined, {})).status).toBe(401)
    expect((await call('GET', '/api/people', undefined)).status).toBe(401)
  })
})

const target = { agent: 'gemini', session: 'none' }
const bodies: Record<CommandBody['kind'], CommandBody> = {
  prompt: { kind: 'prompt', content: [{ type: 'text', text: 'go on' }] },
  answer: { kind: 'answer', ask: 'a', digest: 'd', option: 'o' },
  cancel: { kind: 'cancel' },
  mode: { kind: 'mode', mode: 'plan' },
  model: { kind: 'model', model: 'pro' },
  end: { kind: 'end' },
}
const messages: Record<ClientMessage['type'], readonly ClientMessage[]> = {
  ping: [{ type: 'ping' }],
  subscribe: [{ type: 'subscribe', id: 'subscribe' }],
  follow: [{ type: 'follow', id: 'follow', session: target }],
  unsubscribe: [{ type: 'unsubscribe', id: 'subscribe' }],
  looking: [{ type: 'looking', session: target }],
  screen: [{ type: 'screen', live: 'screen', on: true }],
  keys: [{ type: 'keys', live: 'keys', keys: [{ key: 'Enter' }] }],
  command: Object.values(bodies).map((body) => ({ type: 'command', id: body.kind, target, body })),
  edit: [{ type: 'edit', id: 'edit', command: 'c', client: 'd', withdraw: true }],
}

describe('every message of a WebSocket', () => {
  it('has a declared role, like every command', () => {
    const kinds = (options: readonly { shape: Record<string, unknown> }[], name: string) =>
      options.map(({ shape }) => (shape[name] as { value: string }).value).toSorted()
    expect(Object.keys(messageRoles).toSorted()).toEqual(kinds(ClientMessage.options, 'type'))
    expect(Object.keys(commandRoles).toSorted()).toEqual(kinds(CommandBody.options, 'kind'))
    expect(Object.entries(messageRoles).filter(([, role]) => role !== 'viewer')).toEqual([
      ['keys', 'member'],
      ['command', 'member'],
      ['edit', 'member'],
    ])
    expect(new Set(Object.values(commandRoles))).toEqual(new Set(['member']))
  })

  it.each(['viewer', 'member'] as const)('is open to a %s as declared', async (role) => {
    const { token } = await pair(role)
    const { json } = await call('GET', '/api/openapi.json', token)
    expect((json as unknown as Description)['x-websocket-access']).toEqual(tables)
    const client = await openSocket(server.listening, { token })
    expect(await client.until(({ type }) => type === 'hello')).toMatchObject({ person: `the ${role}`, role })
    for (const message of Object.values(messages).flat()) {
      const least = message.type === 'command' ? commandRoles[message.body.kind] : messageRoles[message.type]
      const from = client.received.length
      client.send(message)
      await waitForReplies(client)
      const replies = client.received.slice(from).map((each) => (each['error'] ?? each) as { code?: string })
      const refused = replies.filter(({ code }) => code === 'forbidden')
      const what = JSON.stringify(message)
      expect(refused.length, what).toBe(includesRole(role, least) ? 0 : 1)
      if (refused.length > 0)
        expect(refused[0], what).toMatchObject({ hint: expect.stringMatching(/remora people/) })
    }
    client.close()
  })
})

/** Waits for two pongs: by then every earlier message was rejected or started. */
async function waitForReplies(client: TestClient): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) {
    const from = client.received.length
    client.send({ type: 'ping' })
    await client.until((each) => each['type'] === 'pong' && client.received.indexOf(each) >= from)
  }
}

function isLeaving({ method, path }: { method: string; path: string }): boolean {
  return method === 'delete' && path === '/api/me'
}
