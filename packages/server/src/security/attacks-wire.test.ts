import { connect } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestServer, startTestServer } from '../http/server.test-data.ts'
import { listen } from '../http/listen.ts'
import { formatRequestText, sendRaw } from './raw-socket.test-data.ts'

let server: TestServer
let token: string
let known: string[]

beforeAll(async () => {
  server = await startTestServer({
    limits: {
      bodyBytes: 50_000,
      requestsPerAddress: { perSecond: 500, burst: 5000 },
    },
  })
  token = (await server.pair()).token
  known = [`Host: 127.0.0.1:${server.port}`, `Authorization: Bearer ${token}`]
  server.live.put()
})
afterAll(async () => server.close())

const send = (json: unknown) => server.call('POST', '/api/live/l-1/send', { token, json })
const status = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)

describe('bodies', () => {
  it('that are too large are rejected, with and without a length', async () => {
    const text = 'x'.repeat(60_000)
    expect((await send({ text })).status).toBe(413)
    const chunk = `${(60_000).toString(16)}\r\n${text}\r\n0\r\n\r\n`
    const lines = [
      'POST /api/live/l-1/send HTTP/1.1',
      ...known,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ]
    expect(status(await sendRaw(server.port, formatRequestText(lines, chunk)))).toBe(413)
  })

  const broken: [string, string][] = [
    ['invalid JSON', 'text=go'],
    ['incomplete JSON', '{"text":"go'],
    ['nothing', ''],
    ['a list', '[]'],
    ['a string', '"text"'],
    ['a wrong type', '{"text":7}'],
    ['an unknown field', '{"text":"go","admin":true}'],
    ['ten thousand levels', `{"text":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['control characters', '\u0000\u0001\u0002'],
  ]
  it.each(broken)('of %s are rejected', async (_, body) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await server.call('POST', '/api/live/l-1/send', { token, headers, body })
    expect(answer.status).toBe(400)
    expect(answer.json.error?.code).toBe('usage')
    expect(await server.ledger.commands.list()).toEqual([])
  })

  it('cannot pollute prototypes', async () => {
    const headers = { 'content-type': 'application/json' }
    for (const body of [
      '{"text":"go","__proto__":{"admin":true}}',
      '{"constructor":{"prototype":{"admin":true}},"text":"go"}',
    ])
      expect((await server.call('POST', '/api/live/l-1/send', { token, headers, body })).status).toBe(400)
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  it('with two lengths are rejected, against request smuggling', async () => {
    const lines = ['POST /api/live/l-1/send HTTP/1.1', ...known, 'Content-Type: application/json']
    const both = formatRequestText(
      [...lines, 'Content-Length: 4', 'Transfer-Encoding: chunked'],
      '0\r\n\r\nGET /api/me HTTP/1.1\r\n\r\n',
    )
    expect(status(await sendRaw(server.port, both))).toBe(400)
    const twice = formatRequestText([...lines, 'Content-Length: 4', 'Content-Length: 5'], '{}')
    expect(status(await sendRaw(server.port, twice))).toBe(400)
    const odd = formatRequestText([...lines, 'Transfer-Encoding: xchunked'], '0\r\n\r\n')
    expect(status(await sendRaw(server.port, odd))).toBeGreaterThanOrEqual(400)
  })
})

describe('requests', () => {
  it('with huge headers are rejected', async () => {
    expect(
      status(
        await sendRaw(
          server.port,
          formatRequestText(['GET /health HTTP/1.1', ...known, `X: ${'x'.repeat(20_000)}`]),
        ),
      ),
    ).toBe(431)
    expect(
      status(
        await sendRaw(
          server.port,
          formatRequestText([`GET /health?${'x'.repeat(20_000)} HTTP/1.1`, ...known]),
        ),
      ),
    ).toBe(431)
  })

  it('with a line break in a header add no second header', async () => {
    const answer = await server.call('GET', '/api/sessions/x%0d%0aset-cookie:evil=1/y', { token })
    expect(answer.status).toBe(400)
    expect(answer.headers).not.toHaveProperty('set-cookie')
  })

  it.each(['TRACE', 'CONNECT', 'OPTIONS', 'PROPFIND', 'PURGE', 'M-SEARCH'])(
    'with the method %s are rejected',
    async (method) => {
      const target = method === 'CONNECT' ? 'evil.example:443' : '/api/me'
      const answer = await sendRaw(server.port, formatRequestText([`${method} ${target} HTTP/1.1`, ...known]))
      expect([0, 400, 404, 405]).toContain(status(answer))
      expect(answer).not.toContain(token)
    },
  )

  it.each([
    '/../../../../etc/passwd',
    '/api/../../etc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/..%2f..%2fetc%2fpasswd',
    '/api/sessions/..%2f..%2f..%2fetc/passwd',
    '/..\\..\\etc\\passwd',
    '/%5c..%5cetc%5cpasswd',
    '//evil.example/api/me',
    '/api/me%00.html',
    '/install.css/../../ledger.db',
    '/ledger.db',
    '/certificates/ca.key',
    '/.env',
  ])('for %s find nothing', async (path) => {
    const answer = await sendRaw(server.port, formatRequestText([`GET ${path} HTTP/1.1`, ...known]))
    expect([400, 404]).toContain(status(answer))
    expect(answer).not.toMatch(/root:|PRIVATE KEY|SQLite/)
  })

  it('of other protocols are closed', async () => {
    for (const bytes of [
      'EHLO evil\r\nMAIL FROM:<a@b>\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'GET /\r\n\r\n',
      '*1\r\n$8\r\nFLUSHALL\r\n',
    ])
      expect([0, 400, 505]).toContain(status(await sendRaw(server.port, bytes)))
  })
})

describe('timeouts and limits', () => {
  // A separate server, because the short timeouts would break other tests on a slow machine.
  const limits = { headersMs: 400, requestMs: 800 }
  let impatient: TestServer
  beforeAll(async () => {
    impatient = await startTestServer({ limits })
    impatient.live.put()
  })
  afterAll(async () => impatient.close())

  it('close silent connections, also before the TLS handshake', async () => {
    await using secure = await startTestServer({ tls: true, limits })
    const silent = (port: number) =>
      new Promise<string>((resolve) => {
        const socket = connect(port, '127.0.0.1')
        socket.on('error', () => {})
        socket.on('close', () => resolve('closed'))
        socket.resume()
      })
    expect(await Promise.all([silent(impatient.port), silent(secure.port)])).toEqual(['closed', 'closed'])
  })

  it('close connections that send headers slowly', async () => {
    const answer = await sendRaw(impatient.port, 'GET /health HTTP/1.1\r\n', {
      more: () => 'X-More: 1\r\n',
      everyMs: 50,
    })
    expect([0, 408]).toContain(status(answer))
  })

  it('close connections that send a body byte by byte', async () => {
    const lines = [
      'POST /api/live/l-1/send HTTP/1.1',
      `Host: 127.0.0.1:${impatient.port}`,
      // Written to the socket, because a client request would time out too.
      `Authorization: Bearer ${(await impatient.devices.add('phone')).token}`,
      'Content-Type: application/json',
      'Content-Length: 5000',
    ]
    const answer = await sendRaw(impatient.port, `${lines.join('\r\n')}\r\n\r\n{`, {
      more: () => ' ',
      everyMs: 50,
    })
    expect([0, 400, 408]).toContain(status(answer))
    expect(await impatient.ledger.commands.list()).toEqual([])
  })

  it('keep serving other addresses when one takes all its connections', async () => {
    const small = await startTestServer({ limits: { connectionsPerAddress: 10 } })
    try {
      const sockets = Array.from({ length: 40 }, () => connect(small.port, '127.0.0.1').on('error', () => {}))
      let closed = 0
      await new Promise<void>((resolve) => {
        for (const socket of sockets) socket.on('close', () => ++closed >= 30 && resolve())
      })
      expect((await small.call('GET', '/health', { unix: true })).status).toBe(200)
      for (const socket of sockets) socket.destroy()
    } finally {
      await small.close()
    }
  })

  it('limit the request rate of addresses and of devices', async () => {
    // A rate so low that even a slow machine exceeds it.
    const few = { perSecond: 0.01, burst: 5 }
    const small = await startTestServer({ limits: { requestsPerAddress: few, requestsPerDevice: few } })
    try {
      const { token } = await small.pair()
      const all = async (options: object) =>
        Promise.all(
          Array.from({ length: 12 }, async () => (await small.call('GET', '/health', options)).status),
        )
      const [strangers, device] = [await all({}), await all({ token })]
      for (const statuses of [strangers, device])
        expect(statuses.filter((each) => each === 429).length).toBeGreaterThan(4)
    } finally {
      await small.close()
    }
  })
})

describe('the network', () => {
  it('is not served without TLS', async () => {
    for (const host of ['0.0.0.0', '::', '192.168.1.20', 'example.local'])
      await expect(listen({ context: server.context, port: 0, host })).rejects.toMatchObject({
        code: 'config',
      })
  })

  it('is served with current TLS versions only', async () => {
    const secure = await startTestServer({ tls: true })
    try {
      expect(
        status(
          await sendRaw(
            secure.port,
            formatRequestText(['GET /health HTTP/1.1', `Host: 127.0.0.1:${secure.port}`]),
          ),
        ),
      ).not.toBe(200)
      const ca = await secure.call('GET', '/ca.crt', { unix: true })
      expect(ca.headers['content-type']).toBe('application/x-x509-ca-cert')
      const answer = await secure.call('GET', '/health', { ca: ca.text })
      expect(answer.status).toBe(200)
      // HSTS would apply to every port of localhost.
      expect(answer.headers).not.toHaveProperty('strict-transport-security')
      const { code } = secure.pairing.create()
      const paired = await secure.call('POST', '/api/pair', { ca: ca.text, json: { code, name: 'x' } })
      expect(paired.headers['set-cookie']![0]).toMatch(/; Secure$/)
      // A page without TLS is another origin.
      const plain = { origin: `http://127.0.0.1:${secure.port}` }
      expect((await secure.call('GET', '/health', { ca: ca.text, headers: plain })).status).toBe(403)
      await expect(secure.call('GET', '/health')).rejects.toThrow(/certificate/)
      const old = await new Promise<string>((resolve) => {
        const socket = connectSecurely({
          port: secure.port,
          host: '127.0.0.1',
          ca: ca.text,
          maxVersion: 'TLSv1.1',
          minVersion: 'TLSv1',
        })
        socket.on('secureConnect', () => resolve('welcome'))
        socket.on('error', () => resolve('refused'))
      })
      expect(old).toBe('refused')
      const page = await secure.call('GET', '/install', { ca: ca.text })
      expect(page.text).toContain(secure.fingerprint)
    } finally {
      await secure.close()
    }
  })
})
