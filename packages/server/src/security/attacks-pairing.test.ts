import { request } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { type TestServer, startTestServer } from '../http/server.test-data.ts'

let server: TestServer
afterEach(async () => server.close())

const pair = (code: string) => server.call('POST', '/api/pair', { json: { code, name: 'x', token: true } })
const wrong = 'AAAA-AAAA-AAAA'

/** Pairs from another loopback address, as another device would. */
function pairFrom(localAddress: string, code: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify({ code, name: 'x' })
    const headers = {
      host: `127.0.0.1:${server.port}`,
      'content-type': 'application/json',
      'content-length': body.length,
    }
    const place = {
      host: '127.0.0.1',
      port: server.port,
      localAddress,
      method: 'POST',
      path: '/api/pair',
      headers,
    }
    const sent = request({ ...place, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

describe('guessing a pairing code', () => {
  it('locks out after five attempts, even for the right code', async () => {
    server = await startTestServer()
    const { code } = server.pairing.create()
    for (let n = 0; n < 5; n++) expect((await pair(wrong)).status).toBe(403)
    expect((await pair(wrong)).status).toBe(429)
    expect((await pair(code)).status).toBe(429)
    expect(await server.ledger.audit.read()).toMatchObject([{ what: 'lockout', who: '127.0.0.1' }])
    // A new code ends the lockout.
    expect((await pair(server.pairing.create().code)).status).toBe(200)
  })

  it.runIf(process.platform === 'linux')(
    'from many addresses locks out all of them and removes the code',
    async () => {
      server = await startTestServer()
      const { code } = server.pairing.create()
      const statuses: number[] = []
      for (let n = 0; n < 20; n++) statuses.push(await pairFrom(`127.0.1.${1 + Math.floor(n / 4)}`, wrong))
      expect(new Set(statuses)).toEqual(new Set([403]))
      expect(await pairFrom('127.0.2.1', code)).toBe(429)
      expect(await server.ledger.audit.read()).toMatchObject([{ what: 'lockout', who: 'everybody' }])
    },
  )

  it('fails when no code exists', async () => {
    server = await startTestServer()
    for (const code of ['', ' ', '-', wrong]) expect([400, 403]).toContain((await pair(code)).status)
    expect(server.devices.list()).toEqual([])
  })

  it('gets the same error for a wrong, an expired and a used code', async () => {
    server = await startTestServer({ limits: { codeMs: 30 } })
    const { code } = server.pairing.create()
    await new Promise((resolve) => setTimeout(resolve, 60))
    const [old, never] = [await pair(code), await pair(wrong)]
    expect(old.status).toBe(403)
    expect(old.json).toEqual(never.json)
  })
})

describe('a pairing code', () => {
  it('works once, also in a race', async () => {
    server = await startTestServer()
    const { code } = server.pairing.create()
    const all = await Promise.all(Array.from({ length: 12 }, () => pair(code)))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(server.devices.list()).toHaveLength(1)
    expect((await pair(code)).status).not.toBe(200)
  })

  it('has sixty random bits', async () => {
    server = await startTestServer()
    const codes = Array.from({ length: 200 }, () => server.pairing.create().code)
    expect(new Set(codes).size).toBe(200)
    for (const code of codes) expect(code).toMatch(/^(?:[ABCDEFGHJKLMNPQRSTUVWXYZ23456789]{4}-?){3}$/)
    // Only the latest codes stay valid.
    expect((await pair(codes[0]!)).status).toBe(403)
    expect((await pair(codes.at(-1)!.toLowerCase().replaceAll('-', ' '))).status).toBe(200)
  })

  it('is never logged, and device names have no control characters', async () => {
    server = await startTestServer()
    const { code } = server.pairing.create()
    const name = 'x\u001b[2J\n\u202Eevil'
    const { json } = await server.call('POST', '/api/pair', { json: { code, name } })
    expect((json['device'] as { name: string }).name).toBe('x [2J evil')
    await server.call('GET', `/api/me?code=${code}`)
    const kept = server.logged.join('\n') + JSON.stringify(await server.ledger.audit.read())
    expect(kept).not.toContain(code)
  })

  it('is needed again for a device that was not seen for long', async () => {
    server = await startTestServer({ limits: { deviceIdleMs: 40 } })
    const { token } = await server.pair()
    await new Promise((resolve) => setTimeout(resolve, 80))
    expect((await server.call('GET', '/api/me', { token })).status).toBe(401)
  })
})
