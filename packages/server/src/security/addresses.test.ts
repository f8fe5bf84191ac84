import type { NetworkInterfaceInfo } from 'node:os'
import { afterEach, describe, expect, it } from 'vitest'
import {
  findLanAddress,
  findTailscaleAddress,
  isLoopback,
  isReachable,
  listReachableAddresses,
  toAddressKey,
} from './addresses.ts'
import { X509Certificate } from 'node:crypto'
import { request } from 'node:https'
import { type TestServer, startTestServer } from '../http/server.test-data.ts'

const four = (address: string, internal = false) =>
  ({ address, family: 'IPv4', internal, netmask: '', mac: '', cidr: null }) as NetworkInterfaceInfo

const six = (address: string) => ({ ...four(address), family: 'IPv6' }) as NetworkInterfaceInfo

describe('addresses', () => {
  it('finds the address at which a phone reaches this machine', () => {
    const interfaces = {
      lo: [four('127.0.0.1', true)],
      docker0: [four('172.17.0.1')],
      tailscale0: [four('100.101.102.103')],
      wlan0: [four('192.168.1.20')],
      eth1: [four('8.8.8.8')],
    }
    expect(findLanAddress(interfaces)).toBe('192.168.1.20')
    expect(findTailscaleAddress(interfaces)).toBe('100.101.102.103')
    expect(findLanAddress({ en0: [four('10.0.0.5')], bridge100: [four('192.168.64.1')] })).toBe('10.0.0.5')
  })

  it('lists only addresses on which a wildcard server listens', () => {
    const interfaces = { wlan0: [four('192.168.1.20'), six('fd00::2'), six('2001:db8::1')] }
    expect(listReachableAddresses('::', interfaces)).toEqual(['192.168.1.20', 'fd00::2'])
    expect(listReachableAddresses('0.0.0.0', interfaces)).toEqual(['192.168.1.20'])
    expect(listReachableAddresses('0.0.0.0', { eth0: [four('8.8.8.8'), six('fd00::2')] })).toEqual([])
  })

  it('explains what to do without an address', () => {
    const alone = { lo: [four('127.0.0.1', true)], docker0: [four('172.17.0.1')] }
    expect(() => findLanAddress(alone)).toThrow(
      expect.objectContaining({ code: 'not_found', hint: expect.any(String) }),
    )
    expect(() => findTailscaleAddress(alone)).toThrow(expect.objectContaining({ code: 'not_found' }))
  })

  it('distinguishes loopback addresses from those a phone can reach', () => {
    for (const host of ['localhost', '127.0.0.1', '127.8.0.1', '::1', '[::1]', '::ffff:127.0.0.1'])
      expect(isLoopback(host), host).toBe(true)
    for (const host of [
      '0.0.0.0',
      '::',
      '192.168.1.2',
      'localhost.evil.com',
      '127.0.0.1.evil.com',
      '1270.0.0.1',
    ])
      expect(isLoopback(host), host).toBe(false)
    expect(['192.168.0.9', '100.64.0.1', '127.0.0.1', '8.8.8.8'].map(isReachable)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it('uses one rate-limit key for an IPv6 network', () => {
    expect(toAddressKey('2001:db8:1:2:aaaa::1')).toBe(toAddressKey('2001:db8:1:2:bbbb:cccc:dddd:eeee'))
    expect(toAddressKey('2001:db8:1:3::1')).not.toBe(toAddressKey('2001:db8:1:2::1'))
    expect(toAddressKey('::ffff:10.0.0.1')).toBe('10.0.0.1')
  })
})

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
