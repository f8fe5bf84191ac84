import { isIP } from 'node:net'

/** The allowed `Host` and `Origin` headers. */
export interface Hosts {
  isHost(header: string): boolean
  isOrigin(header: string): boolean
}

/**
 * Allows only the server's own names and port, against DNS rebinding and requests of other sites. A reverse proxy is
 * listed by its whole origin.
 *
 * @example allowHosts({ names: ['192.168.1.20'], port: 4750, secure: true }).isHost('192.168.1.20:4750') // true
 */
export function allowHosts(options: {
  readonly names: readonly string[]
  readonly port: number
  readonly secure: boolean
}): Hosts {
  const scheme = options.secure ? 'https' : 'http'
  const defaultPort = options.secure ? 443 : 80
  const hosts = new Set<string>()
  const origins = new Set<string>()
  for (const name of ['localhost', '127.0.0.1', '::1', ...options.names]) {
    const url = isOrigin(name) ? new URL(name) : undefined
    const host = url?.host ?? normalizeHost(name)
    const spellings = url
      ? [host]
      : [`${host}:${options.port}`, ...(options.port === defaultPort ? [host] : [])]
    for (const spelling of spellings) {
      hosts.add(spelling)
      origins.add(`${url ? url.protocol.slice(0, -1) : scheme}://${spelling}`)
    }
  }
  return {
    isHost: (header) => hosts.has(header.toLowerCase()),
    isOrigin: (header) => origins.has(header.toLowerCase()),
  }
}

/** Whether a name is a whole origin. @example isOrigin('https://box.tail1.ts.net') // true */
export function isOrigin(name: string): boolean {
  return /^https?:\/\//i.test(name) && URL.canParse(name) && new URL(name).pathname === '/'
}

/** Writes an IPv6 address as browsers do, since it has many forms. */
function normalizeHost(name: string): string {
  if (isIP(name) !== 6) return name.toLowerCase()
  return new URL(`http://[${name.split('%')[0]!}]`).hostname
}
