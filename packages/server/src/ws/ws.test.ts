import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Ask, ServerMessage, fold } from '@remora/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { Story } from '../../../ledger/src/contract/story.test-data.ts'
import { createServerClient } from '../client.ts'
import { type TestClient, type TestServer, openSocket, startTestServer } from '../http/server.test-data.ts'

let server: TestServer
afterEach(async () => server.close())

const is = (type: string, id?: string) => (message: Record<string, unknown>) =>
  message['type'] === type && (id === undefined || message['id'] === id)
const sizes = (client: TestClient, id: string) => client.events(id).map(({ seq }) => seq)

async function begin(options: Parameters<typeof startTestServer>[0] = {}) {
  server = await startTestServer(options)
  const { token, id } = await server.pair()
  const client = await openSocket(server, { token })
  await client.until(is('hello'))
  return { client, token, id }
}

describe('the WebSocket', () => {
  it('greets with live sessions and asks, and every message matches the protocol', async () => {
    server = await startTestServer()
    server.live.put()
    const { token, id } = await server.pair()
    const client = await openSocket(server, { token })
    expect(await client.until(is('hello'))).toMatchObject({
      client: id,
      live: [{ id: 'l-1' }],
      asks: [],
      staleMs: 45_000,
    })
    client.send({ type: 'ping' })
    client.send({ type: 'subscribe', id: 'all', cursor: `${server.ledger.epoch}:0` })
    await server.ledger.append(new Story().prompt('Hello'))
    server.live.put({ state: 'working' })
    await client.until(is('pong'))
    await client.until(is('events'))
    await client.until(is('live'))
    for (const message of client.received) expect(ServerMessage.safeParse(message).error).toBeUndefined()
  })

  it('sends stored events after a cursor in order, then new ones, each once', async () => {
    const { client } = await begin()
    const story = new Story()
    for (let n = 0; n < 450; n++) await server.ledger.append(story.says(`text ${n}`))
    client.send({ type: 'subscribe', id: 'all', cursor: `${server.ledger.epoch}:0` })
    // More events arrive while it reads stored ones.
    for (let n = 0; n < 100; n++) await server.ledger.append(story.says(`more ${n}`))
    await client.until(is('current', 'all'))
    await server.ledger.append(story.says('last'))
    await client.until(() => client.events('all').length >= 551)
    expect(sizes(client, 'all')).toEqual(Array.from({ length: 551 }, (_, index) => index + 1))
    const page = await server.ledger.read({ limit: 1000 })
    const folded = fold(page.events.map(({ event }) => event))
    expect(fold(client.events('all').map(({ event }) => event)).map(({ content }) => content)).toEqual(
      folded.map(({ content }) => content),
    )
  })

  it('filters by session, and starts at the end without a cursor', async () => {
    const { client } = await begin()
    const [one, two] = [new Story(), new Story({ session: 'two' })]
    await server.ledger.append([...one.says('a'), ...two.says('b')])
    client.send({ type: 'subscribe', id: 'two', session: two.key, cursor: `${server.ledger.epoch}:0` })
    client.send({ type: 'subscribe', id: 'now' })
    await client.until(is('current', 'two'))
    await client.until(is('current', 'now'))
    await server.ledger.append([...one.says('c'), ...two.says('d')])
    await client.until(() => client.events('two').length === 2 && client.events('now').length === 2)
    expect(client.events('two').every(({ event }) => event.session === 'two')).toBe(true)
    client.send({ type: 'unsubscribe', id: 'now' })
    client.send({ type: 'ping' })
    await client.until(is('pong'))
    await server.ledger.append(two.says('e'))
    await client.until(() => client.events('two').length === 3)
    expect(client.events('now')).toHaveLength(2)
  })

  it('reports a gap for a cursor of another ledger, and starts at the beginning', async () => {
    const { client } = await begin()
    await server.ledger.append(new Story().says('a'))
    client.send({ type: 'subscribe', id: 'all', cursor: 'another:77' })
    expect(await client.until(is('events'))).toMatchObject({ gap: true, events: [{ seq: 1 }] })
    client.send({ type: 'subscribe', id: 'bad', cursor: '../../etc' })
    expect(await client.until(is('error'))).toMatchObject({ code: 'usage', about: 'bad' })
  })

  it('sends raw records only on request', async () => {
    const { client } = await begin()
    client.send({ type: 'subscribe', id: 'lean' })
    client.send({ type: 'subscribe', id: 'whole', raw: true })
    await client.until(is('current', 'whole'))
    const event = {
      ...new Story().event({ type: 'text', entity: 'e', offset: 0, text: 'x' }),
      raw: { line: 1 },
    }
    await server.ledger.append([{ events: [event], raw: '{"line":1}' }])
    await client.until(() => client.events('whole').length === 1 && client.events('lean').length === 1)
    expect(client.events('whole')[0]!.event.raw).toEqual({ line: 1 })
    expect(client.events('lean')[0]!.event).not.toHaveProperty('raw')
  })

  it('stores a command once, notifies all clients, and acknowledges each attempt', async () => {
    const { client, token } = await begin()
    const other = await openSocket(server, { token })
    await other.until(is('hello'))
    server.live.put()
    const target = { agent: 'claude', session: 'one' }
    const body = { kind: 'prompt', content: [{ type: 'text', text: 'go' }] }
    client.send({ type: 'command', id: 'c1', target, body })
    client.send({ type: 'command', id: 'c1', target, body })
    await client.until(() => client.received.filter(is('ack', 'c1')).length === 2)
    await other.until(is('command'))
    const [stored, ...more] = await server.ledger.commands.list()
    expect(more).toEqual([])
    client.send({ type: 'edit', id: 'e1', command: 'c1', client: stored!.client, withdraw: true })
    expect(await client.until(is('ack', 'e1'))).toMatchObject({ state: 'withdrawn' })
    client.send({ type: 'edit', id: 'e2', command: 'c1', client: stored!.client, body })
    expect(await client.until(is('ack', 'e2'))).toMatchObject({
      state: 'refused',
      error: { code: 'conflict' },
    })
    client.send({ type: 'command', id: 'c2', target: { agent: 'claude', session: 'gone' }, body })
    expect(await client.until(is('ack', 'c2'))).toMatchObject({ error: { code: 'not_found' } })
  })

  it('lets one answer win, and sends the winner to the other client', async () => {
    const { client } = await begin()
    const other = await openSocket(server, { token: (await server.pair('tablet')).token })
    await other.until(is('hello'))
    const target = { agent: 'claude', session: 'one' }
    const options: Ask['options'] = [
      { id: 'yes', label: 'Yes', effect: 'allow' },
      { id: 'no', label: 'No', effect: 'deny' },
    ]
    await server.context.approvals.open(
      target,
      { id: 'a', kind: 'permission', title: '?', options, digest: 'd' },
      async () => 'done',
    )
    await Promise.all([client.until(is('ask')), other.until(is('ask'))])
    client.send({
      type: 'command',
      id: '1',
      target,
      body: { kind: 'answer', ask: 'a', digest: 'd', option: 'yes' },
    })
    other.send({
      type: 'command',
      id: '2',
      target,
      body: { kind: 'answer', ask: 'a', digest: 'd', option: 'no' },
    })
    const acks = await Promise.all([client.until(is('ack')), other.until(is('ack'))])
    expect(acks.map(({ state }) => String(state)).toSorted()).toEqual(['done', 'refused'])
    const loser = acks.find(({ state }) => state === 'refused')!
    expect(loser).toMatchObject({ error: { code: 'conflict' }, answer: { by: 'person' } })
    await Promise.all([client.until(is('settled')), other.until(is('settled'))])
    client.send({
      type: 'command',
      id: '3',
      target,
      body: { kind: 'answer', ask: 'a', digest: 'x', option: 'no' },
    })
    expect(await client.until(is('ack', '3'))).toMatchObject({ error: { code: 'conflict' } })
  })

  it('records which session a client shows', async () => {
    const { client, id } = await begin()
    const key = { agent: 'claude', session: 'one' }
    client.send({ type: 'looking', session: key })
    client.send({ type: 'ping' })
    await client.until(is('pong'))
    expect(server.presence.listViewers(key)).toEqual([id])
    client.close()
    while (server.presence.isViewed(key)) await sleep(5)
    expect(server.presence.isViewed(key)).toBe(false)
  })

  it('disconnects silent clients, and keeps those that answer pings', async () => {
    const { client, token } = await begin({ heartbeatMs: 40, staleMs: 400 })
    const deaf = await openSocket(server, { token })
    // A paused socket answers no pings.
    deaf.socket.pause()
    while (client.received.length < 1 || (await count()) > 1) await sleep(10)
    expect(client.closed).toBeUndefined()
    deaf.close()

    async function count(): Promise<number> {
      return server.connections
    }
  })

  it('disconnects no client after the server itself was blocked', async () => {
    const { client } = await begin({ heartbeatMs: 100, staleMs: 300 })
    for (const end = performance.now() + 600; performance.now() < end;);
    const pinged = once(client.socket, 'ping')
    client.send({ type: 'ping' })
    await Promise.all([client.until(is('pong')), pinged])
    expect(client.closed).toBeUndefined()
  })

  it('serves clients of the unix socket', async () => {
    server = await startTestServer()
    const stream = await createServerClient({ remoraHome: server.context.remoraHome }).open()
    stream.send({ type: 'ping' })
    const received: string[] = []
    for await (const { type } of stream) {
      received.push(type)
      if (type === 'pong') break
    }
    expect(received).toEqual(['hello', 'pong'])
  })
})

describe('a client that does not read', () => {
  it('uses little memory, delays no other client, and gets every event when it reads again', async () => {
    server = await startTestServer({ limits: { behindBytes: 200_000 } })
    const { token } = await server.pair()
    const [quick, slow] = [await openSocket(server, { token }), await openSocket(server, { token })]
    for (const client of [quick, slow]) {
      await client.until(is('hello'))
      client.send({ type: 'subscribe', id: 'all' })
      await client.until(is('current'))
    }
    slow.socket.pause()
    const story = new Story()
    const text = 'x'.repeat(100_000)
    global.gc?.()
    const before = process.memoryUsage().arrayBuffers
    // 40 MB, of which the kernel buffers a few.
    for (let n = 0; n < 400; n++) await server.ledger.append(story.says(text))
    while (quick.events('all').length < 400) await sleep(5)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000_000)
    server.live.put()
    server.live.put({ state: 'working' })
    slow.socket.resume()
    while (slow.events('all').length < 400) await sleep(5)
    expect(slow.events('all').map(({ seq }) => seq)).toEqual(
      Array.from({ length: 400 }, (_, index) => index + 1),
    )
    // Only the latest state is sent.
    await slow.until(
      (message) => is('live')(message) && (message['live'] as { state: string }).state === 'working',
    )
    await server.ledger.append(story.says('live again'))
    while (slow.events('all').length < 401) await sleep(5)
  }, 60_000)

  it('is disconnected after the timeout', async () => {
    server = await startTestServer({
      limits: { behindBytes: 100_000, stalledMs: 300, bytesPerSecond: 1e9 },
      heartbeatMs: 100,
      staleMs: 3_600_000,
    })
    const { token } = await server.pair()
    const slow = await openSocket(server, { token })
    await slow.until(is('hello'))
    slow.send({ type: 'subscribe', id: 'all' })
    await slow.until(is('current'))
    slow.socket.pause()
    const story = new Story()
    for (let n = 0; n < 120; n++) await server.ledger.append(story.says('x'.repeat(100_000)))
    while (server.connections > 0) await sleep(20)
    expect(server.connections).toBe(0)
    slow.close()
  })
})
