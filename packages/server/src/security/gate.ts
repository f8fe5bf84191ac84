import type { IncomingHttpHeaders } from 'node:http'
import { addressKey } from './addresses.ts'
import { Buckets } from './buckets.ts'
import type { Device, Devices } from './devices.ts'
import type { People } from './people.ts'
import type { Hosts } from './hosts.ts'
import { HttpError } from './http-error.ts'
import { type Limits, limits } from './limits.ts'
import { type Who, ofDevice, theUser } from './who.ts'

/** What is known of a request before anybody looks into it. */
export interface Knock {
  readonly method: string
  /** As it stands in the request line. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly address: string | undefined
}

export interface Admitted {
  /** Undefined for a stranger, who may see what is open to all. */
  readonly who: Who | undefined
  /** By what it is known who it is; a browser sends cookies also where its user does not want it. */
  readonly by: 'socket' | 'cookie' | 'bearer' | 'nothing'
}

export const cookieName = 'remora'
const reading = new Set(['GET', 'HEAD'])
const methods = new Set([...reading, 'POST', 'PUT', 'PATCH', 'DELETE'])

/** Everyone at the unix socket is the user, and no browser gets there. @example admitUser('ann') */
export function admitUser(person: string): (knock: Knock) => Admitted {
  const admitted: Admitted = { who: theUser(person), by: 'socket' }
  return (knock) => {
    checkShape(knock)
    return admitted
  }
}

/** Looks at everybody who comes by the network, whether by HTTP or by WebSocket. */
export class Gate {
  readonly #hosts: Hosts
  readonly #devices: Devices
  readonly #people: Pick<People, 'find'>
  readonly #ofDevices: Buckets
  readonly #ofAddresses: Buckets

  constructor(options: {
    readonly hosts: Hosts
    readonly devices: Devices
    readonly people: Pick<People, 'find'>
    readonly limits?: Limits
  }) {
    this.#hosts = options.hosts
    this.#devices = options.devices
    this.#people = options.people
    const { requestsPerDevice, requestsPerAddress } = options.limits ?? limits
    this.#ofDevices = new Buckets(requestsPerDevice)
    this.#ofAddresses = new Buckets(requestsPerAddress)
  }

  /** Who it is, if he may come in; else throws an `HttpError`. */
  admit(knock: Knock): Admitted {
    checkShape(knock)
    this.#checkHost(knock)
    this.#checkOrigin(knock)
    const admitted = this.#recognize(knock)
    const { who, by } = admitted ?? {}
    const buckets = who ? this.#ofDevices : this.#ofAddresses
    const key = who ? who.client : addressKey(knock.address)
    if (!buckets.take(key))
      throw new HttpError(
        429,
        'rate_limit',
        'Too many requests. Try again in a moment.',
        undefined,
        buckets.waitMs(key),
      )
    // Told only now, so that those who guess are counted too.
    if (!admitted) throw unknownToken()
    if (by === 'cookie' && !reading.has(knock.method)) requireOrigin(knock)
    return admitted
  }

  #checkHost({ headers, rawHeaders }: Knock): void {
    const count = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
    if (count !== 1 || !this.#hosts.host(headers.host ?? ''))
      throw new HttpError(
        421,
        'permission',
        'Unknown host name for this server',
        'Use the address that remora serve prints.',
      )
  }

  #checkOrigin({ method, url, headers }: Knock): void {
    const { origin } = headers
    if (origin !== undefined && !this.#hosts.origin(origin))
      throw new HttpError(403, 'permission', 'Requests from another origin are not allowed')
    const site = headers['sec-fetch-site']
    if (site === undefined || site === 'same-origin' || site === 'none') return
    // A link on another page may lead here, to the page and no further.
    const isLink = method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && !isApi(url)
    if (!isLink) throw new HttpError(403, 'permission', 'Requests from another site are not allowed')
  }

  /** Undefined for somebody who says that he is known, and is not. */
  #recognize({ headers }: Knock): Admitted | undefined {
    const bearer = /^Bearer ([\w-]{20,100})$/i.exec(headers.authorization ?? '')?.[1]
    if (headers.authorization !== undefined && bearer === undefined) return undefined
    const tokens = [...(bearer === undefined ? [] : [bearer]), ...readCookies(headers.cookie)]
    const found = tokens.map((token) => this.#devices.byToken(token))
    // An old cookie is no reason to hear nobody; a wrong bearer is, and so are two devices at once.
    if (bearer !== undefined && !found[0]) return undefined
    const known = found.filter((each): each is Device => each !== undefined)
    if (new Set(known.map(({ id }) => id)).size > 1) return undefined
    const [device] = known
    // The role of this moment, not of the pairing.
    const role = device && this.#people.find(device.person)?.role
    if (!role) return { who: undefined, by: 'nothing' }
    return { who: ofDevice(device, role), by: bearer === undefined ? 'cookie' : 'bearer' }
  }
}

/** Browsers tell the origin of everything that changes something; what comes without it was not sent by our page. */
export function requireOrigin({ headers }: Knock): void {
  if (headers.origin === undefined && headers['sec-fetch-site'] !== 'same-origin')
    throw new HttpError(403, 'permission', 'A cookie alone cannot authorise changes')
}

function checkShape({ method, url, headers }: Knock): void {
  if (!methods.has(method)) throw new HttpError(405, 'usage', `Method ${method.slice(0, 20)} is not allowed`)
  // Proxies take whole addresses; we are none. The rest is written by hand, and by nobody with good intentions.
  if (
    !url.startsWith('/') ||
    url.startsWith('//') ||
    /[^!-~]|\\|%(?:00|0a|0d|5c)|\/\.{1,2}(?:[/?#]|$)|%2e/i.test(url.split('?')[0]!)
  )
    throw new HttpError(400, 'usage', 'Invalid path')
  if (headers['transfer-encoding'] !== undefined && headers['content-length'] !== undefined)
    throw new HttpError(400, 'usage', 'Conflicting body length headers')
}

function isApi(url: string): boolean {
  return /^\/api(?:[/?#]|$)/.test(url)
}

/** All of our name: cookies know no ports, and another server of the machine may have set one too. */
function readCookies(header = ''): string[] {
  return header
    .split(';')
    .map((part) => part.trim().split('='))
    .filter(([name, value = '']) => name === cookieName && /^[\w-]{20,100}$/.test(value))
    .map(([, value]) => value!)
    .slice(0, 5)
}

function unknownToken(): HttpError {
  return new HttpError(401, 'auth', 'This device is no longer paired', 'Pair it again: remora pair')
}
