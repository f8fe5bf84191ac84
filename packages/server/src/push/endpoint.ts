import type { LookupFunction } from 'node:net'
import { BlockList, isIP } from 'node:net'
import { lookup } from 'node:dns'
import { RemoraError } from '@remora/protocol/plain'

/** Networks that a push service of the internet is never in: asking there would be asking our own machines. */
const inner = new BlockList()
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
  inner.addSubnet(address, prefix, 'ipv4')
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
  inner.addSubnet(address, prefix, 'ipv6')

/** Whether an address is one of the internet. @example isPublicAddress('192.168.1.1') // false */
export function isPublicAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  const bare = mapped ?? address.split('%')[0]!
  const family = isIP(bare)
  // Of `::ffff:0:0/96` written in any other way, nothing is taken.
  if (family === 0 || (family === 6 && /^::ffff:/i.test(bare))) return false
  return !inner.check(bare, family === 4 ? 'ipv4' : 'ipv6')
}

/** Endings of names that are only known within a network. */
const privateNames =
  /\.(?:local|localhost|localdomain|internal|intranet|private|corp|lan|home|arpa|test|invalid|onion)$/

/**
 * The address of a push service as a browser gives it; anybody who is paired could name any other. Throws `usage` for
 * what no push service has: no TLS, another port, a machine of ours.
 *
 * @example checkEndpoint('https://fcm.googleapis.com/fcm/send/abc')
 */
export function checkEndpoint(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  // With a dot at its end a name is the same name: `localhost.` is this machine too.
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

/** Looks a name up for a connection, and refuses one that leads to a machine of ours: names can change after the check. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, [])
    const inside = addresses.find(({ address }) => !isPublicAddress(address))
    if (inside) return callback(new Error(`${hostname} is not a public host`), [])
    if (options.all) return callback(null, addresses)
    return callback(null, addresses[0]!.address, addresses[0]!.family)
  })
}
