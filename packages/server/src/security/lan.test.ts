import { X509Certificate } from 'node:crypto'
import { request } from 'node:https'
import { afterEach, describe, expect, it } from 'vitest'
import { type TestServer, startTestServer } from '../http/server.test-data.ts'
import { listReachableAddresses } from './addresses.ts'

let server: TestServer | undefined
afterEach(async () => server?.close())

const [address] = listReachableAddresses('::')

/** Node 22.23 rejects IPv6 addresses in certificates, so OpenSSL checks the address here, as browsers do it themselves. */
function checkServerIdentity(host: string, { raw }: { readonly raw: Buffer }): Error | undefined {
  return new X509Certificate(raw).checkIP(host) === undefined ? new Error('ADDRESS_MISMATCH') : undefined
}

/** Connects like a phone that trusts the authority. */
function get(host: string, port: number, ca: string, path: string): Promise<number | string> {
  return new Promise((resolve) => {
    const sent = request({ host, port, ca, path, agent: false, checkServerIdentity }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    sent.end()
  })
}

describe.runIf(address)('an address in the network', () => {
  it('is served by TLS under its own name only, with a matching certificate', async () => {
    server = await startTestServer({ host: address!, tls: true })
    const { url, port } = server
    expect(url).toBe(`https://${address!.includes(':') ? `[${address}]` : address}:${port}`)
    const ca = (await server.call('GET', '/ca.crt', { unix: true })).text
    expect(new X509Certificate(ca).fingerprint256).toBe(server.fingerprint)
    expect(await get(address!, port, ca, '/health')).toBe(200)
    expect(await get(address!, port, ca, '/install')).toBe(200)
    expect(await get(address!, port, ca, '/api/sessions')).toBe(401)
    // The server does not listen on loopback then.
    expect(await get('127.0.0.1', port, ca, '/health')).toBe('ECONNREFUSED')
  })

  it('is served among all others on a wildcard host', async () => {
    server = await startTestServer({ host: address!.includes(':') ? '::' : '0.0.0.0', tls: true })
    const ca = (await server.call('GET', '/ca.crt', { unix: true })).text
    expect(await get(address!, server.port, ca, '/health')).toBe(200)
    expect(await get('127.0.0.1', server.port, ca, '/health')).toBe(200)
  })
})
