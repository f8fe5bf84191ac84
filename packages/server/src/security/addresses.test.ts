import type { NetworkInterfaceInfo } from 'node:os'
import { describe, expect, it } from 'vitest'
import {
  addressKey,
  isLoopback,
  isReachable,
  lanAddress,
  reachableAddresses,
  tailscaleAddress,
} from './addresses.ts'

const four = (address: string, internal = false) =>
  ({ address, family: 'IPv4', internal, netmask: '', mac: '', cidr: null }) as NetworkInterfaceInfo

const six = (address: string) => ({ ...four(address), family: 'IPv6' }) as NetworkInterfaceInfo

describe('addresses', () => {
  it('picks the one at which a phone reaches this machine', () => {
    const interfaces = {
      lo: [four('127.0.0.1', true)],
      docker0: [four('172.17.0.1')],
      tailscale0: [four('100.101.102.103')],
      wlan0: [four('192.168.1.20')],
      eth1: [four('8.8.8.8')],
    }
    expect(lanAddress(interfaces)).toBe('192.168.1.20')
    expect(tailscaleAddress(interfaces)).toBe('100.101.102.103')
    expect(lanAddress({ en0: [four('10.0.0.5')], bridge100: [four('192.168.64.1')] })).toBe('10.0.0.5')
  })

  it('names none to a phone at which a server that listens everywhere does not', () => {
    const interfaces = { wlan0: [four('192.168.1.20'), six('fd00::2'), six('2001:db8::1')] }
    expect(reachableAddresses('::', interfaces)).toEqual(['192.168.1.20', 'fd00::2'])
    expect(reachableAddresses('0.0.0.0', interfaces)).toEqual(['192.168.1.20'])
    expect(reachableAddresses('0.0.0.0', { eth0: [four('8.8.8.8'), six('fd00::2')] })).toEqual([])
  })

  it('says what to do where there is none', () => {
    const alone = { lo: [four('127.0.0.1', true)], docker0: [four('172.17.0.1')] }
    expect(() => lanAddress(alone)).toThrow(
      expect.objectContaining({ code: 'not_found', hint: expect.any(String) }),
    )
    expect(() => tailscaleAddress(alone)).toThrow(expect.objectContaining({ code: 'not_found' }))
  })

  it('knows what only this machine can reach, and what a phone can', () => {
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

  it('counts a network of IPv6 as one', () => {
    expect(addressKey('2001:db8:1:2:aaaa::1')).toBe(addressKey('2001:db8:1:2:bbbb:cccc:dddd:eeee'))
    expect(addressKey('2001:db8:1:3::1')).not.toBe(addressKey('2001:db8:1:2::1'))
    expect(addressKey('::ffff:10.0.0.1')).toBe('10.0.0.1')
  })
})
