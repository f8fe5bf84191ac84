import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ClientMessage, ServerMessage } from '@remora/protocol'
import { type RouteContract, api } from '@remora/protocol/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { Story } from '../../../ledger/src/contract/story.test-data.ts'
import { type ServerClient, createServerClient } from '../client.ts'
import type { RunningServer } from '../start-server.ts'
import { startServerIn } from './whole-server.test-data.ts'

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly requestBody?: { readonly content: Record<string, unknown> }
  readonly responses: Record<string, { readonly content?: Record<string, unknown> }>
}
interface Description {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly schemas: Record<string, unknown> }
}

let folder: string
let server: RunningServer
let client: ServerClient
let description: Description
const story = new Story()

beforeAll(async () => {
  folder = mkdtempSync('/tmp/rd-')
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'a.txt'), 'hello\n')
  execFileSync('git', ['init', '--quiet'], { cwd: project })
  server = await startServerIn(folder)
  await server.context.ledger.append([
    ...story.tell({ type: 'session', entity: 's', cwd: project, model: 'opus', title: 'A title' }),
    ...story.prompt('Where is the parser?'),
    ...story.says('In parse.ts.'),
  ])
  await server.context.ledger.indexText()
  client = createServerClient({ remoraHome: join(folder, 'r') })
  await client.request('POST', '/api/instructions', { body: { title: 'SQL', text: 'Look at the SQL.' } })
  description = await client.request('GET', '/api/openapi.json')
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('the description of the API', () => {
  it('has every route, and every response matches its schema', async () => {
    const all = Object.values<RouteContract>(api).filter(({ path }) => path.startsWith('/api'))
    const checked: string[] = []
    for (const { method, path, response } of all) {
      const operation = description.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method]
      expect(operation, `${method} ${path}`).toBeDefined()
      if (method !== 'get' || !response || /:id/.test(path)) continue
      const place = path.replace(':agent', 'claude').replace(':session', 'one')
      const wanted = operation!.parameters.filter((each) => each.in === 'query' && each.required)
      const query = Object.fromEntries(
        wanted.map(({ name }) => [name, name === 'path' ? join(folder, 'project') : 'parse']),
      )
      const answer = await client.request('GET', place, { query })
      // Fields without a description would be missing here.
      expect(response.parse(answer), place).toEqual(answer)
      checked.push(path)
    }
    expect(checked.length).toBeGreaterThan(18)
  })

  it('has a handler for every route', async () => {
    for (const { method, path } of Object.values<RouteContract>(api)) {
      const error = await client
        .request(method.toUpperCase() as 'GET', path.replaceAll(/:\w+/g, 'x'))
        .then(() => undefined)
        .catch((reason: Error) => reason)
      expect(error?.message, `${method} ${path}`).not.toBe('Not found')
    }
  })

  it('describes request and response bodies that are not JSON', () => {
    const { paths } = description
    expect(paths['/api/uploads']!['post']!.requestBody?.content).toHaveProperty('*/*')
    for (const path of ['/api/uploads/{id}', '/api/files/raw'])
      expect(paths[path]!['get']!.responses['200']?.content).toHaveProperty('*/*')
    expect(paths['/api/push/test']!['post']).not.toHaveProperty('requestBody')
  })

  it('has the WebSocket messages', () => {
    for (const [name, schema] of Object.entries({ ClientMessage, ServerMessage })) {
      const schemaText = JSON.stringify(description.components.schemas[name])
      for (const { shape } of schema.options) expect(schemaText).toContain(`"const":"${shape.type.value}"`)
    }
  })
})

describe('a client that knows the documentation only', () => {
  it('pairs, catches up, sends a command and gets its result', async () => {
    const { code } = await client.request<{ code: string }>('POST', '/api/pair/code', { body: {} })
    const paired = await fetch(`${server.url}/api/pair`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, name: 'by the book', token: true }),
    })
    const { token } = (await paired.json()) as { token: string }
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/api/ws`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const received: ServerMessage[] = []
    let wake = (): void => {}
    socket.on('message', (data: Buffer) => {
      received.push(ServerMessage.parse(JSON.parse(data.toString())))
      wake()
    })
    const until = async (fits: (message: ServerMessage) => boolean): Promise<ServerMessage> => {
      for (;;) {
        const found = received.find(fits)
        if (found) return found
        await new Promise<void>((resolve) => (wake = resolve))
      }
    }
    const send = (message: unknown): void => socket.send(JSON.stringify(message))
    await new Promise((resolve) => socket.once('open', resolve))
    send({ type: 'subscribe', id: 'all', cursor: 'another-ledger:5' })
    expect(await until(({ type }) => type === 'hello')).toMatchObject({
      heartbeatMs: 20_000,
      staleMs: 45_000,
    })
    expect(received[0]?.type).toBe('hello')
    expect(await until(({ type }) => type === 'events')).toMatchObject({ gap: true, events: { length: 3 } })
    await until(({ type }) => type === 'current')
    const target = { agent: 'claude', session: 'one' }
    const body = { kind: 'prompt', content: [{ type: 'text', text: 'go on' }] }
    send({ type: 'command', id: 'k3', target, body })
    const answer = await until((message) => message.type === 'ack' && message.id === 'k3')
    expect(answer).toMatchObject({
      state: 'refused',
      error: { message: expect.stringContaining('not running') },
    })
    send({ type: 'command', id: 'k4', target, body: { kind: 'answer', ask: 'a', digest: 'd', option: 'o' } })
    expect(await until((message) => message.type === 'ack' && message.id === 'k4')).toMatchObject({
      state: 'refused',
      error: { code: 'not_found' },
    })
    send({ type: 'edit', id: 'e1', command: 'k3', client: 'd-0', withdraw: true })
    expect(await until((message) => message.type === 'ack' && message.id === 'e1')).toMatchObject({
      state: 'refused',
    })
    send({ type: 'keys', live: 'l-none', keys: [{ key: 'Enter' }, { text: 'y' }] })
    expect(await until((message) => message.type === 'error')).toMatchObject({ about: 'l-none' })
    for (const message of received) expect(message.type).not.toBe('pong')
    send({ type: 'looking' })
    send({ type: 'ping' })
    await until(({ type }) => type === 'pong')
    socket.close()
  })
})
