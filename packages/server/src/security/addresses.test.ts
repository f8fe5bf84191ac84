import type { NetworkInterfaceInfo } from 'node:os'
import { describe, expect, it } from 'vitest'
import {
  toAddressKey,
  isLoopback,
  isReachable,
  findLanAddress,
  listReachableAddresses,
  findTailscaleAddress,
} from './addresses.ts'

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
