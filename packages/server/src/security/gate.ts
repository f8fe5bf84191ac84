import type { IncomingHttpHeaders } from 'node:http'
import { toAddressKey } from './addresses.ts'
import { Buckets } from './buckets.ts'
import type { Device, Devices } from './devices.ts'
import type { People } from './people.ts'
import type { Hosts } from './hosts.ts'
import { HttpError } from './http-error.ts'
import { type Limits, limits } from './limits.ts'
import { type Who, createDeviceIdentity, createUserIdentity } from './who.ts'

/** The parts of a request that authentication needs. */
export interface RequestInfo {
  readonly method: string
  /** The target of the request line, not decoded. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly address: string | undefined
}

export interface Admitted {
  /** Undefined for an unauthenticated client, which may use public routes only. */
  readonly who: Who | undefined
  /** How the client authenticated: browsers also send cookies with requests that other sites started. */
  readonly by: 'socket' | 'cookie' | 'bearer' | 'nothing'
}

export const cookieName = 'remora'
const safeMethods = new Set(['GET', 'HEAD'])
const methods = new Set([...safeMethods, 'POST', 'PUT', 'PATCH', 'DELETE'])

/** Admits every client of the unix socket as the user, since browsers cannot reach it. @example admitUser('ann') */
export function admitUser(person: string): (request: RequestInfo) => Admitted {
  const admitted: Admitted = { who: createUserIdentity(person), by: 'socket' }
  return (request) => {
    checkShape(request)
    return admitted
  }
}

/** Authenticates every client from the network, by HTTP or WebSocket. */
export class Gate {
  readonly #hosts: Hosts
  readonly #devices: Devices
  readonly #people: Pick<People, 'find'>
  readonly #deviceBuckets: Buckets
  readonly #addressBuckets: Buckets

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
    this.#deviceBuckets = new Buckets(requestsPerDevice)
    this.#addressBuckets = new Buckets(requestsPerAddress)
  }

  /** Authenticates a request, or throws an `HttpError`. */
  admit(request: RequestInfo): Admitted {
    checkShape(request)
    this.#checkHost(request)
    this.#checkOrigin(request)
    const admitted = this.#authenticate(request)
    const { who, by } = admitted ?? {}
    const buckets = who ? this.#deviceBuckets : this.#addressBuckets
    const key = who ? who.client : toAddressKey(request.address)
    if (!buckets.take(key))
      throw new HttpError(
        429,
        'rate_limit',
        'Too many requests. Try again in a moment.',
        undefined,
        buckets.waitMs(key),
      )
    // Thrown after the rate limit, so that guessed tokens count too.
    if (!admitted) throw createTokenError()
    if (by === 'cookie' && !safeMethods.has(request.method)) requireOrigin(request)
    return admitted
  }

  #checkHost({ headers, rawHeaders }: RequestInfo): void {
    const count = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
    if (count !== 1 || !this.#hosts.isHost(headers.host ?? ''))
      throw new HttpError(
        421,
        'permission',
        'Unknown host name for this server',
        'Use the address that remora serve prints.',
      )
  }

  #checkOrigin({ method, url, headers }: RequestInfo): void {
    const { origin } = headers
    if (origin !== undefined && !this.#hosts.isOrigin(origin))
      throw new HttpError(403, 'permission', 'Requests from another origin are not allowed')
    const site = headers['sec-fetch-site']
    if (site === undefined || site === 'same-origin' || site === 'none') return
    // A link on another site may open the page, but not call the API.
    const isLink = method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && !isApi(url)
    if (!isLink) throw new HttpError(403, 'permission', 'Requests from another site are not allowed')
  }

  /** Returns undefined for invalid credentials. */
  #authenticate({ headers }: RequestInfo): Admitted | undefined {
    const bearer = /^Bearer ([\w-]{20,100})$/i.exec(headers.authorization ?? '')?.[1]
    if (headers.authorization !== undefined && bearer === undefined) return undefined
    const tokens = [...(bearer === undefined ? [] : [bearer]), ...readCookies(headers.cookie)]
    const found = tokens.map((token) => this.#devices.findByToken(token))
    // An old cookie is ignored, but a wrong bearer token or the tokens of two devices are rejected.
    if (bearer !== undefined && !found[0]) return undefined
    const devices = found.filter((each): each is Device => each !== undefined)
    if (new Set(devices.map(({ id }) => id)).size > 1) return undefined
    const [device] = devices
    // The role may have changed since the pairing.
    const role = device && this.#people.find(device.person)?.role
    if (!role) return { who: undefined, by: 'nothing' }
    return { who: createDeviceIdentity(device, role), by: bearer === undefined ? 'cookie' : 'bearer' }
  }
}

/** Browsers send an origin with every change, so a request without one did not come from our page. */
export function requireOrigin({ headers }: RequestInfo): void {
  if (headers.origin === undefined && headers['sec-fetch-site'] !== 'same-origin')
    throw new HttpError(403, 'permission', 'A cookie alone cannot authorise changes')
}

function checkShape({ method, url, headers }: RequestInfo): void {
  if (!methods.has(method)) throw new HttpError(405, 'usage', `Method ${method.slice(0, 20)} is not allowed`)
  // Absolute URLs are for proxies, and browsers never send the other forms.
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

/** Reads every cookie with our name, since a server on another port may have set one too. */
function readCookies(header = ''): string[] {
  return header
    .split(';')
    .map((part) => part.trim().split('='))
    .filter(([name, value = '']) => name === cookieName && /^[\w-]{20,100}$/.test(value))
    .map(([, value]) => value!)
    .slice(0, 5)
}

function createTokenError(): HttpError {
  return new HttpError(401, 'auth', 'This device is no longer paired', 'Pair it again: remora pair')
}
