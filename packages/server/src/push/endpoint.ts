import type { LookupFunction } from 'node:net'
import { BlockList, isIP } from 'node:net'
import { lookup } from 'node:dns'
import { RemoraError } from '@remora/protocol/plain'

/** Networks that no public push service is in: a request there would reach internal machines (SSRF). */
const privateNetworks = new BlockList()
for (const [address, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  privateNetworks.addSubnet(address, prefix, 'ipv4')
for (const [address, prefix] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  privateNetworks.addSubnet(address, prefix, 'ipv6')

/** Whether an address is on the public internet. @example isPublicAddress('192.168.1.1') // false */
export function isPublicAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  const bare = mapped ?? address.split('%')[0]!
  const family = isIP(bare)
  // Any other spelling of `::ffff:0:0/96` is rejected.
  if (family === 0 || (family === 6 && /^::ffff:/i.test(bare))) return false
  return !privateNetworks.check(bare, family === 4 ? 'ipv4' : 'ipv6')
}

/** Top-level names that exist only within a network. */
const privateNames =
  /\.(?:local|localhost|localdomain|internal|intranet|private|corp|lan|home|arpa|test|invalid|onion)$/

/**
 * Parses the endpoint of a push subscription. A paired device could send any URL, so this throws `usage` unless it is
 * https on the default port of a public host.
 *
 * @example checkEndpoint('https://fcm.googleapis.com/fcm/send/abc')
 */
export function checkEndpoint(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  // A trailing dot does not change a name: `localhost.` is this machine too.
  const host = url?.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '') ?? ''
  const named = isIP(host) === 0 && host.includes('.') && !privateNames.test(host)
  const fine =
    url?.protocol === 'https:' &&
    url.port === '' &&
    url.username === '' &&
    url.password === '' &&
    endpoint.length <= 2_000 &&
    (named || isPublicAddress(host))
  if (!url || !fine)
    throw new RemoraError('usage', 'Invalid push service address', {
      hint: 'Use an https address of a public host.',
    })
  return url
}

/** Resolves a name for a connection and checks the addresses again, since DNS can change after `checkEndpoint`. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, [])
    const internal = addresses.find(({ address }) => !isPublicAddress(address))
    if (internal) return callback(new Error(`${hostname} is not a public host`), [])
    if (options.all) return callback(null, addresses)
    return callback(null, addresses[0]!.address, addresses[0]!.family)
  })
}
