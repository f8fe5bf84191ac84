import { type RouteContract, api } from '@remora/protocol/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CallOptions, type TestServer, startTestServer } from '../http/server.test-data.ts'
import { formatRequestText, sendRaw } from './raw-socket.test-data.ts'

let server: TestServer
let phone: { id: string; token: string }
let tablet: { id: string; token: string }
let own: string

beforeAll(async () => {
  server = await startTestServer({ limits: { requestsPerAddress: { perSecond: 1000, burst: 10_000 } } })
  phone = await server.pair('phone')
  tablet = await server.pair('tablet')
  own = `http://127.0.0.1:${server.port}`
  server.live.put()
})
afterAll(async () => server.close())

const read = (headers: Record<string, string>, options: CallOptions = {}) =>
  server.call('GET', '/api/sessions', { token: phone.token, ...options, headers })
const withCookie = (headers: Record<string, string>) =>
  read(headers, { token: undefined, cookie: phone.token })

describe('another host name', () => {
  const hosts: [string, (port: number) => string][] = [
    ['an unknown name', () => 'evil.example'],
    ['a rebound DNS name', (port) => `evil.example:${port}`],
    ['its own address without the port', () => '127.0.0.1'],
    ['its own address with another port', (port) => `127.0.0.1:${port + 1}`],
    ['its own address as a user of another', (port) => `127.0.0.1:${port}@evil.example`],
    ['its own address as the beginning of a name', (port) => `127.0.0.1.evil.example:${port}`],
    ['a name that ends like its own', (port) => `evillocalhost:${port}`],
    ['every address', (port) => `0.0.0.0:${port}`],
  ]
  it.each(hosts)('%s is rejected', async (_, host) => {
    const { status } = await read({ host: host(server.port) })
    expect([400, 421]).toContain(status)
  })

  it('is rejected if missing, doubled, or in the request line', async () => {
    const line = `Authorization: Bearer ${phone.token}`
    expect(
      await sendRaw(server.port, formatRequestText(['GET /api/sessions HTTP/1.1', 'Host:', line])),
    ).toMatch(/^HTTP\/1\.1 4/)
    const host = `Host: 127.0.0.1:${server.port}`
    expect(await sendRaw(server.port, formatRequestText(['GET /api/sessions HTTP/1.1', line]))).toMatch(
      /^HTTP\/1\.1 400/,
    )
    const twice = formatRequestText(['GET /api/sessions HTTP/1.1', host, 'Host: evil.example', line])
    expect(await sendRaw(server.port, twice)).toMatch(/^HTTP\/1\.1 (400|421)/)
    const whole = formatRequestText(['GET http://evil.example/api/sessions HTTP/1.1', host, line])
    expect(await sendRaw(server.port, whole)).toMatch(/^HTTP\/1\.1 400/)
  })

  it('in forwarding headers is ignored', async () => {
    const forwarded = { 'x-forwarded-host': `127.0.0.1:${server.port}`, forwarded: 'host=localhost' }
    expect((await read({ host: 'evil.example', ...forwarded })).status).toBe(421)
  })
})

describe('pages of other origins', () => {
  const origins: [string, (port: number) => string][] = [
    ['of another site', () => 'https://evil.example'],
    ['of no origin, as a file or a sandboxed frame', () => 'null'],
    ['of another port of this machine', (port) => `http://127.0.0.1:${port + 1}`],
    ['of a site whose name begins like ours', (port) => `http://127.0.0.1:${port}.evil.example`],
    ['of our name by another scheme', (port) => `https://127.0.0.1:${port}`],
    ['of an extension', () => 'chrome-extension://abcdef'],
  ]
  it.each(origins)('one %s is rejected, with a cookie or a token', async (_, origin) => {
    expect((await withCookie({ origin: origin(server.port) })).status).toBe(403)
    expect((await read({ origin: origin(server.port) })).status).toBe(403)
  })

  it('cannot load images, scripts or frames', async () => {
    for (const site of ['cross-site', 'same-site'])
      expect((await withCookie({ 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' })).status).toBe(403)
    // A link may open the page, but nothing below /api.
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    expect((await withCookie(link)).status).toBe(403)
    expect((await server.call('GET', '/', { headers: link })).status).toBe(200)
  })

  it('get no permission from a preflight request', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'DELETE' }
    for (const origin of [headers.origin, own]) {
      const answer = await server.call('OPTIONS', '/api/sessions', { headers: { ...headers, origin } })
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })

  it('cannot change anything by a cookie without an origin', async () => {
    const patch = (headers: Record<string, string>) =>
      server.call('PATCH', `/api/devices/${phone.id}`, {
        cookie: phone.token,
        json: { name: 'mine' },
        headers,
      })
    expect((await patch({})).status).toBe(403)
    expect((await patch({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await patch({ origin: own })).status).toBe(200)
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '',
    'application/jsonp',
  ])('cannot send a body of the form type "%s"', async (type) => {
    const headers = { 'content-type': type, origin: own }
    const body = JSON.stringify({ text: 'rm -rf /' })
    const sent = await server.call('POST', '/api/live/l-1/send', { cookie: phone.token, headers, body })
    expect(sent.status).toBe(415)
    const worktree = await server.call('DELETE', '/api/worktrees', { cookie: phone.token, headers, body })
    expect([404, 415]).toContain(worktree.status)
    expect(await server.ledger.commands.list()).toEqual([])
  })

  it('cannot override the method', async () => {
    const headers = { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' }
    const path = `/api/devices/${tablet.id}`
    expect((await server.call('POST', path, { token: phone.token, json: {}, headers })).status).toBe(404)
    expect(
      (await server.call('POST', `${path}?_method=DELETE`, { token: phone.token, json: {} })).status,
    ).toBe(404)
    expect(server.devices.get(tablet.id)).toBeDefined()
  })
})

describe('without valid credentials', () => {
  it('every route below /api is rejected', async () => {
    const closed = Object.values<RouteContract>(api).filter(({ access }) => access !== 'open')
    expect(closed.length).toBeGreaterThan(25)
    for (const { method, path } of closed) {
      const real = path.replaceAll(/:\w+/g, 'x')
      const given = method === 'get' || method === 'delete' ? {} : { json: {} }
      expect((await server.call(method.toUpperCase(), real, given)).status, `${method} ${path}`).toBe(401)
    }
  })

  const tokens: [string, CallOptions, string?][] = [
    ['an unknown token', { token: 'A'.repeat(43) }],
    ['the hash of a token', { token: 'sha256' + 'a'.repeat(40) }],
    ['a password instead of a token', { headers: { authorization: 'Basic YWRtaW46YWRtaW4=' } }],
    ['an unknown cookie', { cookie: 'A'.repeat(43) }],
    ['the name of a field instead of a token', { token: '__proto__constructor__proto__' }],
    ['a token in the address', {}, '?token='],
    ['a token in the address by another name', {}, '?access_token='],
  ]
  it.each(tokens)('%s is rejected', async (_, options, query) => {
    const path = query === undefined ? '/api/me' : `/api/me${query}${phone.token}`
    expect((await server.call('GET', path, options)).status).toBe(401)
  })

  it('the cookie of one device with the token of another is rejected', async () => {
    expect((await server.call('GET', '/api/me', { cookie: phone.token, token: tablet.token })).status).toBe(
      401,
    )
  })

  it('a revoked device is rejected at once', async () => {
    const lost = await server.pair('lost')
    expect((await server.call('GET', '/api/me', { token: lost.token })).status).toBe(200)
    expect((await server.call('DELETE', `/api/devices/${lost.id}`, { token: phone.token })).status).toBe(204)
    expect((await server.call('GET', '/api/me', { token: lost.token })).status).toBe(401)
    expect((await server.call('GET', '/api/me', { cookie: lost.token })).status).toBe(401)
  })

  it('a device cannot use the routes of the local user', async () => {
    expect((await server.call('POST', '/api/pair/code', { token: phone.token, json: {} })).status).toBe(403)
    const rename = { token: phone.token, json: { name: 'stolen' } }
    expect((await server.call('PATCH', `/api/devices/${tablet.id}`, rename)).status).toBe(403)
  })

  it('a network client cannot send hook requests', async () => {
    const path = '/api/hooks/ask?agent=claude&live=l-1'
    const json = {
      hook_event_name: 'PermissionRequest',
      tool_name: 'Bash',
      tool_input: { command: 'rm -rf /' },
    }
    expect((await server.call('POST', path, { json })).status).toBe(401)
    expect((await server.call('POST', path, { json, token: phone.token })).status).toBe(404)
    const other = await server.call('POST', '/api/hooks/ask?agent=claude&live=l-9', { json, unix: true })
    expect([other.status, other.json]).toEqual([200, {}])
    expect(await server.context.approvals.pending()).toEqual([])
  })

  it('tokens are not stored, and no secret is logged', async () => {
    const stored = JSON.stringify([...(await server.ledger.marks(''))])
    expect(stored).toContain(phone.id)
    for (const { token } of [phone, tablet]) {
      expect(stored).not.toContain(token)
      expect(server.logged.join('\n')).not.toContain(token)
    }
  })
})
