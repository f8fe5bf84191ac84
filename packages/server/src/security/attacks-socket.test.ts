import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OpenOptions, type TestServer, openSocket, startTestServer } from '../http/server.test-data.ts'
import { formatRequestText, sendRaw } from './raw-socket.test-data.ts'

let server: TestServer
let device: { id: string; token: string }
let own: string

beforeAll(async () => {
  server = await startTestServer({
    limits: {
      messageBytes: 20_000,
      messages: { perSecond: 50, burst: 200 },
      socketsPerDevice: 6,
      subscriptions: 3,
    },
  })
  device = await server.pair()
  own = `http://127.0.0.1:${server.port}`
  server.live.put()
})
afterAll(async () => server.close())

const is = (type: string) => (message: Record<string, unknown>) => message['type'] === type

async function connect() {
  const client = await openSocket(server, { token: device.token })
  await client.until(is('hello'))
  return client
}

describe('opening a socket', () => {
  const rejected: [string, () => OpenOptions, number][] = [
    ['without a token', () => ({}), 401],
    ['with an unknown token', () => ({ token: 'x'.repeat(43) }), 401],
    ['with a token in the URL', () => ({ path: `/api/ws?token=${device.token}` }), 401],
    [
      'from a page of another site, with the cookie',
      () => ({ headers: { cookie: `remora=${device.token}`, origin: 'https://evil.example' } }),
      403,
    ],
    [
      'from a page of another port, with the cookie',
      () => ({ headers: { cookie: `remora=${device.token}`, origin: 'http://localhost:3000' } }),
      403,
    ],
    ['without an origin, with the cookie', () => ({ headers: { cookie: `remora=${device.token}` } }), 403],
    ['from a sandbox, with the token', () => ({ token: device.token, headers: { origin: 'null' } }), 403],
    ['under another host name', () => ({ token: device.token, headers: { host: 'evil.example' } }), 421],
    ['at another path', () => ({ token: device.token, path: '/api/sessions' }), 404],
    ['at a path below it', () => ({ token: device.token, path: '/api/ws/x' }), 404],
  ]
  it.each(rejected)('%s is rejected', async (_, options, status) => {
    await expect(openSocket(server, options())).rejects.toThrow(`refused with ${status}`)
  })

  it('works with the cookie from the own page', async () => {
    const client = await openSocket(server, { headers: { cookie: `remora=${device.token}`, origin: own } })
    expect(await client.until(is('hello'))).toMatchObject({ client: device.id })
    client.close()
  })

  it('is limited for each device', async () => {
    const { token } = await server.pair('greedy')
    const clients = await Promise.all(Array.from({ length: 6 }, () => openSocket(server, { token })))
    await expect(openSocket(server, { token })).rejects.toThrow('refused with 503')
    const other = await connect()
    for (const client of [...clients, other]) client.close()
  })
})

describe('an open socket', () => {
  const closing: [string, string | Buffer, number][] = [
    ['binary data', Buffer.from([1, 2, 3]), 1003],
    ['invalid JSON', 'hello', 1007],
    ['half a message', '{"type":"ping"', 1007],
    ['a message that is too long', JSON.stringify({ type: 'ping', x: 'x'.repeat(30_000) }), 1009],
  ]
  it.each(closing)('is closed after %s', async (_, data, code) => {
    const client = await connect()
    client.socket.send(data)
    // The close may arrive as a reset if the rest of the data is not read.
    expect([code, 1006]).toContain(await client.untilClosed())
  })

  it('answers some invalid messages and is then closed', async () => {
    const client = await connect()
    for (const message of [null, [], 7, {}, { type: 'sudo' }, { type: '__proto__' }, { type: 'subscribe' }])
      client.send(message)
    await client.until(is('error'))
    for (let n = 0; n < 25; n++) client.send({ type: 'command', id: '', target: {}, body: {} })
    expect(await client.untilClosed()).toBe(1008)
  })

  it('is closed by a flood, without effect on other clients', async () => {
    const [client, other] = [await connect(), await connect()]
    for (let n = 0; n < 1000; n++) client.send({ type: 'ping' })
    expect(await client.untilClosed()).toBe(1008)
    other.send({ type: 'ping' })
    await other.until(is('pong'))
    other.close()
  })

  it('is closed by frames that violate the protocol', async () => {
    const key = randomBytes(16).toString('base64')
    const upgrade = [
      'GET /api/ws HTTP/1.1',
      `Host: 127.0.0.1:${server.port}`,
      `Authorization: Bearer ${device.token}`,
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${key}`,
    ]
    const text = formatRequestText(upgrade).replace('Connection: close', 'Connection: Upgrade')
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
    // No mask, reserved bits, a wrong length, a fragmented control frame.
    const frames = [
      [0x81, 0x02, 0x68, 0x69],
      [0xf1, 0x80, 0, 0, 0, 0],
      [0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0],
      [0x09, 0x80, 0, 0, 0, 0],
    ]
    for (const frame of frames) {
      const answer = await sendRaw(server.port, Buffer.concat([Buffer.from(text), Buffer.from(frame)]))
      expect(answer).toContain(accept)
    }
  })

  it('limits subscriptions, and reports a gap for an unknown cursor', async () => {
    const client = await connect()
    for (let n = 0; n < 4; n++) client.send({ type: 'subscribe', id: `s${n}` })
    expect(await client.until(is('error'))).toMatchObject({ code: 'rate_limit', about: 's3' })
    client.send({ type: 'subscribe', id: 's0', cursor: `${server.ledger.epoch}:999999999999999` })
    expect(await client.until((message) => message['gap'] === true)).toMatchObject({ id: 's0', events: [] })
    client.close()
  })

  it('rejects keys that are tmux commands or unknown names', async () => {
    const client = await connect()
    for (const key of [
      ';',
      'C-;',
      '-t',
      'a;kill-server',
      '#{pane_id}',
      '$(id)',
      '\u001b',
      'a b',
      '%1',
      'send-keys',
    ])
      client.send({ type: 'keys', live: 'l-1', keys: [{ key }] })
    await client.until(() => client.received.filter(is('error')).length >= 10)
    expect(new Set(client.received.filter(is('error')).map(({ code }) => code))).toEqual(new Set(['usage']))
    client.close()
  })

  it('rejects answers with a wrong digest or to an unknown ask', async () => {
    const client = await connect()
    const target = { agent: 'claude', session: 'one' }
    const effects: unknown[] = []
    const options = [{ id: 'yes', label: 'Yes', effect: 'allow' as const }]
    await server.context.approvals.open(
      target,
      { id: 'a', kind: 'permission', title: 'rm?', options, digest: 'new' },
      async (answer) => {
        effects.push(answer)
        return 'done'
      },
    )
    const answer = (id: string, fields: object) =>
      client.send({
        type: 'command',
        id,
        target,
        body: { kind: 'answer', ask: 'a', digest: 'new', ...fields },
      })
    answer('1', { digest: 'old', option: 'yes' })
    answer('2', { option: 'always' })
    answer('3', { ask: 'b', option: 'yes' })
    answer('4', {})
    await client.until(() => client.received.filter(is('ack')).length === 4)
    for (const ack of client.received.filter(is('ack'))) expect(ack).toMatchObject({ state: 'refused' })
    expect(effects).toEqual([])
    client.close()
  })

  it('is closed when its device is revoked, and later messages are ignored', async () => {
    const lost = await server.pair('lost')
    const client = await openSocket(server, { token: lost.token })
    await client.until(is('hello'))
    await server.devices.revoke(lost.id, 'test')
    client.send({
      type: 'command',
      id: 'late',
      target: { agent: 'claude', session: 'one' },
      body: { kind: 'end' },
    })
    expect(await client.untilClosed()).toBe(4401)
    expect(await server.ledger.commands.list()).toEqual([])
    await expect(openSocket(server, { token: lost.token })).rejects.toThrow('refused with 401')
  })
})
