import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestServer, openSocket, startTestServer } from '../http/server.test-data.ts'
import { createServerClient } from '../client.ts'
import { checkSocketOwner } from '../unix/socket-path.ts'
import { allowHosts } from './hosts.ts'

let server: TestServer
let device: { id: string; token: string }

beforeAll(async () => {
  server = await startTestServer({ limits: { requestsPerAddress: { perSecond: 0.1, burst: 30 } } })
  device = await server.pair()
  server.live.put()
})
afterAll(async () => server.close())

const is = (type: string) => (message: Record<string, unknown>) => message['type'] === type
const prompt = (id: string) => ({
  type: 'command',
  id,
  target: { agent: 'claude', session: 'one' },
  body: { kind: 'prompt', content: [{ type: 'text', text: 'x' }] },
})

describe('headers of a served file', () => {
  it('cannot replace the security headers', async () => {
    const { token } = device
    const script = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    const headers = { 'content-type': 'image/svg+xml' }
    const { json } = await server.call('POST', '/api/uploads?name=a.svg', { token, body: script, headers })
    const got = await server.call('GET', `/api/uploads/${String(json['id'])}`, { token })
    expect([got.status, got.text]).toEqual([200, script])
    expect(got.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(got.headers['content-security-policy']).toMatch(/^sandbox; .*frame-ancestors 'none'/)
    expect(got.headers['cache-control']).toContain('no-store')
  })
})

describe('authentication', () => {
  it('limits the rate of guessed tokens', async () => {
    const statuses = new Set<number>()
    for (let n = 0; n < 40; n++)
      statuses.add((await server.call('GET', '/api/me', { token: `${n}`.padEnd(43, 'x') })).status)
    expect(statuses).toEqual(new Set([401, 429]))
    const refused = await server.call('GET', '/api/me', { token: 'y'.repeat(43) })
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': expect.stringMatching(/^\d+$/) } })
    // Paired devices are not affected.
    expect((await server.call('GET', '/api/me', { token: device.token })).status).toBe(200)
  })

  it('accepts the valid cookie next to one of the same name from another server', async () => {
    const cookie = `remora=${'x'.repeat(43)}; remora=${device.token}; remora=`
    expect((await server.call('GET', '/api/me', { headers: { cookie } })).json).toMatchObject({
      client: device.id,
    })
  })
})

describe('host names', () => {
  it('match every spelling of an IPv6 address', () => {
    const hosts = allowHosts({ names: ['FD00:0:0::5'], port: 4750, secure: true })
    expect(hosts.isHost('[fd00::5]:4750')).toBe(true)
    expect(hosts.isOrigin('https://[fd00::5]:4750')).toBe(true)
    expect(hosts.isHost('[fd00::6]:4750')).toBe(false)
  })

  it('of a proxy match only with its scheme and port', async () => {
    await using behind = await startTestServer({ names: ['https://Box.tail1.ts.net'] })
    const { token } = await behind.pair()
    const call = (host: string, origin?: string) =>
      behind.call('GET', '/api/me', { token, headers: { host, ...(origin ? { origin } : {}) } })
    expect((await call('box.tail1.ts.net', 'https://box.tail1.ts.net')).status).toBe(200)
    expect((await call('box.tail1.ts.net', 'http://box.tail1.ts.net')).status).toBe(403)
    expect((await call('box.tail1.ts.net', 'https://box.tail1.ts.net:444')).status).toBe(403)
    expect((await call('box.tail1.ts.net:444')).status).toBe(421)
    expect((await call('box.tail1.ts.net.')).status).toBe(421)
    expect((await call('evil.tail1.ts.net')).status).toBe(421)
    const made = await behind.call('POST', '/api/pair/code', { unix: true, json: {} })
    expect(made.json['urls']).toContainEqual(expect.stringMatching(/^https:\/\/box\.tail1\.ts\.net\/#pair=/))
    const { code } = behind.pairing.create()
    const paired = await behind.call('POST', '/api/pair', {
      json: { code, name: 'phone' },
      headers: { host: 'box.tail1.ts.net', origin: 'https://box.tail1.ts.net' },
    })
    expect(paired.headers['set-cookie']![0]).toMatch(/; Secure$/)
  })
})

describe('clients of another version', () => {
  it('get an error for unknown messages and stay connected', async () => {
    const client = await openSocket(server, { token: device.token })
    for (let n = 0; n < 50; n++) client.send({ type: 'typing', id: `t${n}` })
    expect(await client.until((message) => message['about'] === 't49')).toMatchObject({
      type: 'error',
      code: 'unsupported',
    })
    client.send({ type: 'ping' })
    await client.until(is('pong'))
    // An invalid message of a known type names its id.
    client.send({ type: 'command', id: 'k1', target: {}, body: { kind: 'sing' } })
    expect(await client.until((message) => message['about'] === 'k1')).toMatchObject({ code: 'usage' })
    client.close()
  })

  it('may send everything that they queued while offline', async () => {
    const client = await openSocket(server, { token: device.token })
    for (let n = 0; n < 400; n++) client.send(prompt(`away-${n}`))
    await client.until((message) => message['type'] === 'ack' && message['id'] === 'away-399')
    expect(client.received.filter(is('ack'))).toHaveLength(400)
    const queue = await server.ledger.commands.list({ state: 'queued' })
    expect(queue.map(({ id }) => id)).toEqual(Array.from({ length: 400 }, (_, n) => `away-${n}`))
    client.close()
  })
})

describe('the socket of another user', () => {
  it('is not used', async () => {
    const folder = mkdtempSync('/tmp/ro-')
    const path = join(folder, 'server.sock')
    const trap = createServer((_, response) => response.end('{"ok":true,"version":"trap"}'))
    await new Promise<void>((resolve) => trap.listen(path, resolve))
    try {
      const client = createServerClient({ remoraHome: folder })
      expect(await client.health()).toMatchObject({ version: 'trap' })
      // Other users could replace the socket in this folder.
      chmodSync(folder, 0o777)
      await expect(client.health()).rejects.toMatchObject({ code: 'permission' })
      await expect(client.open()).rejects.toMatchObject({ code: 'permission' })
      chmodSync(folder, 0o700)
      const strange = join(folder, 'strange')
      mkdirSync(strange)
      symlinkSync(path, join(strange, 'server.sock'))
      expect(() => checkSocketOwner(join(strange, 'server.sock'))).toThrow(/must belong to you only/)
      expect(() => checkSocketOwner(path, 4_000_000)).toThrow(/must belong to you only/)
      expect(() => checkSocketOwner(join(folder, 'none.sock'))).not.toThrow()
    } finally {
      await new Promise((resolve) => trap.close(resolve))
      rmSync(folder, { recursive: true })
    }
  })
})
