import { isIP } from 'node:net'

/** The names under which the server may be called, and the origins that its own pages have. */
export interface Hosts {
  host(header: string): boolean
  origin(header: string): boolean
}

/**
 * A page of another site can make a browser call us under that site's name (rebinding) or from that site's pages: only
 * our own names count, with our own port. A proxy of the user's has its own: it is named by its whole origin.
 *
 * @example allowHosts({ names: ['192.168.1.20'], port: 4750, secure: true }).host('192.168.1.20:4750') // true
 */
export function allowHosts(options: {
  readonly names: readonly string[]
  readonly port: number
  readonly secure: boolean
}): Hosts {
  const scheme = options.secure ? 'https' : 'http'
  const usual = options.secure ? 443 : 80
  const hosts = new Set<string>()
  const origins = new Set<string>()
  for (const name of ['localhost', '127.0.0.1', '::1', ...options.names]) {
    const url = isOrigin(name) ? new URL(name) : undefined
    const written = url?.host ?? asWritten(name)
    const ways = url
      ? [written]
      : [`${written}:${options.port}`, ...(options.port === usual ? [written] : [])]
    for (const way of ways) {
      hosts.add(way)
      origins.add(`${url ? url.protocol.slice(0, -1) : scheme}://${way}`)
    }
  }
  return {
    host: (header) => hosts.has(header.toLowerCase()),
    origin: (header) => origins.has(header.toLowerCase()),
  }
}

/** Whether a name is a whole origin. @example isOrigin('https://box.tail1.ts.net') // true */
export function isOrigin(name: string): boolean {
  return /^https?:\/\//i.test(name) && URL.canParse(name) && new URL(name).pathname === '/'
}

/** As browsers write it: addresses of IPv6 have many forms. */
function asWritten(name: string): string {
  if (isIP(name) !== 6) return name.toLowerCase()
  return new URL(`http://[${name.split('%')[0]!}]`).hostname
}
