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

/** Names of interfaces behind which no phone is: containers, virtual machines, tunnels. */
const inner =
  /^(docker|br-|veth|virbr|vmnet|vboxnet|cni|flannel|podman|lxc|lxd|utun|tun|tap|wg|zt|tailscale|awdl|llw)/i
const usual = /^(en|eth|wl|wlan|wifi|wi-fi|ethernet)/i

/**
 * The private IPv4 address at which a phone in the same network reaches this machine.
 *
 * @example lanAddress() // '192.168.1.20'
 */
export function lanAddress(interfaces: Interfaces = networkInterfaces()): string {
  const found = addressesOf(interfaces)
    .filter(({ name, address }) => isPrivate(address) && !inner.test(name))
    .map((each) => ({ ...each, rank: rank(each) }))
    .sort((a, b) => a.rank - b.rank)
  if (found[0]) return found[0].address
  throw new RemoraError('not_found', 'This computer has no private network address', {
    hint: 'Connect it to the network of your phone, or pass an address: remora serve --host <address>',
  })
}

/** The address in a tailnet. @example tailscaleAddress() // '100.101.102.103' */
export function tailscaleAddress(interfaces: Interfaces = networkInterfaces()): string {
  const found = addressesOf(interfaces)
    .filter(({ address }) => isTailscale(address))
    .sort((a, b) => Number(/^(tailscale|utun)/.test(b.name)) - Number(/^(tailscale|utun)/.test(a.name)))
  if (found[0]) return found[0].address
  throw new RemoraError('not_found', 'This computer has no Tailscale address', {
    hint: 'Start Tailscale (tailscale up), then try again.',
  })
}

/** Whether a phone could reach an address: what a QR code is good for. */
export function isReachable(address: string): boolean {
  return isIP(address) === 4 && (isPrivate(address) || isTailscale(address))
}

/** Whether a server at this address listens at every address of the machine, or at each of IPv4. */
export function isEvery(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

/**
 * All addresses at which a phone could reach a server that listens everywhere, those of IPv4 first; at `0.0.0.0` it
 * listens to those alone.
 */
export function reachableAddresses(host: string, interfaces: Interfaces = networkInterfaces()): string[] {
  const six = Object.values(interfaces).flatMap((addresses = []) =>
    addresses.filter(({ family, internal }) => family === 'IPv6' && !internal).map(({ address }) => address),
  )
  const four = addressesOf(interfaces).map(({ address }) => address)
  // The private ones of IPv6 are those of fc00::/7.
  const ours = six.filter((address) => /^f[cd]/i.test(address))
  return [...four.filter(isReachable), ...(host === '0.0.0.0' ? [] : ours)]
}

/** By RFC 1918. */
export function isPrivate(address: string): boolean {
  const [a = 0, b = 0] = address.split('.').map(Number)
  return a === 10 || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168)
}

/** Of 100.64.0.0/10, from which tailnets give theirs. */
export function isTailscale(address: string): boolean {
  const [a = 0, b = 0] = address.split('.').map(Number)
  return a === 100 && b >= 64 && b < 128
}

/** One key for all addresses that one machine may have: of IPv6 the network counts. */
export function addressKey(address: string | undefined): string {
  if (address === undefined) return 'unknown'
  if (address.startsWith('::ffff:')) return address.slice(7)
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('%')[0]!.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  return [...left, ...Array<string>(Math.max(0, zeros)).fill('0'), ...right].slice(0, 4).join(':')
}

function addressesOf(interfaces: Interfaces): { name: string; address: string }[] {
  return Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => ({ name, address })),
  )
}

/** Homes have 192.168, offices 10; 172.16 is what virtual machines like. */
function rank({ name, address }: { name: string; address: string }): number {
  const net = address.startsWith('192.168.') ? 0 : address.startsWith('10.') ? 1 : 2
  return (usual.test(name) ? 0 : 10) + net
}
