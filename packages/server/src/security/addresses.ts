import { isIP } from 'node:net'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { RemoraError } from '@remora/protocol/plain'

type Interfaces = Readonly<Record<string, NetworkInterfaceInfo[] | undefined>>

/** Whether only this machine can reach an address. @example isLoopback('127.0.0.1') // true */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  if (bare === 'localhost' || bare === '::1') return true
  const four = bare.startsWith('::ffff:') ? bare.slice(7) : bare
  return isIP(four) === 4 && four.startsWith('127.')
}

/** Interfaces of containers, virtual machines and tunnels, which no phone can reach. */
const virtualInterfaces =
  /^(docker|br-|veth|virbr|vmnet|vboxnet|cni|flannel|podman|lxc|lxd|utun|tun|tap|wg|zt|tailscale|awdl|llw)/i
const physicalInterfaces = /^(en|eth|wl|wlan|wifi|wi-fi|ethernet)/i

/**
 * Finds the private IPv4 address at which a phone in the same network reaches this machine.
 *
 * @example findLanAddress() // '192.168.1.20'
 */
export function findLanAddress(interfaces: Interfaces = networkInterfaces()): string {
  const found = listIpv4(interfaces)
    .filter(({ name, address }) => isPrivate(address) && !virtualInterfaces.test(name))
    .map((each) => ({ ...each, rank: getRank(each) }))
    .sort((a, b) => a.rank - b.rank)
  if (found[0]) return found[0].address
  throw new RemoraError('not_found', 'This computer has no private network address', {
    hint: 'Connect it to the network of your phone, or pass an address: remora serve --host <address>',
  })
}

/** Finds the address in a tailnet. @example findTailscaleAddress() // '100.101.102.103' */
export function findTailscaleAddress(interfaces: Interfaces = networkInterfaces()): string {
  const found = listIpv4(interfaces)
    .filter(({ address }) => isTailscale(address))
    .sort((a, b) => Number(/^(tailscale|utun)/.test(b.name)) - Number(/^(tailscale|utun)/.test(a.name)))
  if (found[0]) return found[0].address
  throw new RemoraError('not_found', 'This computer has no Tailscale address', {
    hint: 'Start Tailscale (tailscale up), then try again.',
  })
}

/**
 * Whether a phone could reach an address, so that a QR code for it makes sense.
 *
 * @example isReachable('192.168.1.5') // true
 */
export function isReachable(address: string): boolean {
  return isIP(address) === 4 && (isPrivate(address) || isTailscale(address))
}

/** Whether a server at this address listens on all interfaces. @example isWildcard('0.0.0.0') // true */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

/** Lists the addresses at which a phone could reach a wildcard host: IPv4 first, and only IPv4 for `0.0.0.0`. */
export function listReachableAddresses(host: string, interfaces: Interfaces = networkInterfaces()): string[] {
  const six = Object.values(interfaces).flatMap((addresses = []) =>
    addresses.filter(({ family, internal }) => family === 'IPv6' && !internal).map(({ address }) => address),
  )
  const four = listIpv4(interfaces).map(({ address }) => address)
  // Private IPv6 addresses are in fc00::/7.
  const privateSix = six.filter((address) => /^f[cd]/i.test(address))
  return [...four.filter(isReachable), ...(host === '0.0.0.0' ? [] : privateSix)]
}

/** Whether an IPv4 address is private by RFC 1918. */
export function isPrivate(address: string): boolean {
  const [a = 0, b = 0] = address.split('.').map(Number)
  return a === 10 || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168)
}

/** Whether an address is in 100.64.0.0/10, the range of tailnets. */
export function isTailscale(address: string): boolean {
  const [a = 0, b = 0] = address.split('.').map(Number)
  return a === 100 && b >= 64 && b < 128
}

/** Returns a rate-limit key: an IPv4 address, or the /64 network of an IPv6 address, since one machine has many. */
export function toAddressKey(address: string | undefined): string {
  if (address === undefined) return 'unknown'
  if (address.startsWith('::ffff:')) return address.slice(7)
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('%')[0]!.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  return [...left, ...Array<string>(Math.max(0, zeros)).fill('0'), ...right].slice(0, 4).join(':')
}

function listIpv4(interfaces: Interfaces): { name: string; address: string }[] {
  return Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => ({ name, address })),
  )
}

/** Homes use 192.168, offices 10, and virtual machines 172.16. */
function getRank({ name, address }: { name: string; address: string }): number {
  const net = address.startsWith('192.168.') ? 0 : address.startsWith('10.') ? 1 : 2
  return (physicalInterfaces.test(name) ? 0 : 10) + net
}
