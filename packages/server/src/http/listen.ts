import type { Server as HttpServer } from 'node:http'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { createChangesRoutes } from './routes/changes.ts'
import type { Context } from '../core/context.ts'
import { createFilesRoutes } from './routes/files.ts'
import { AppFiles } from './app-files.ts'
import { createApp } from './app.ts'
import { createHttpServer } from './http-server.ts'
import type { Route } from './route.ts'
import { isLoopback, isWildcard, listReachableAddresses } from '../security/addresses.ts'
import { loadCertificates } from '../security/cert-files.ts'
import { Devices } from '../security/devices.ts'
import { Gate, admitUser } from '../security/gate.ts'
import { allowHosts, isOrigin } from '../security/hosts.ts'
import { type Limits, limits } from '../security/limits.ts'
import { Pairing } from '../security/pairing.ts'
import { People, getLocalPerson } from '../security/people.ts'
import { listenUnix } from '../unix/listen-unix.ts'
import { shortenSocketPath } from '../unix/socket-path.ts'
import { Hub } from '../ws/hub.ts'
import type { Presence } from '../ws/presence.ts'

export interface ListenOptions {
  readonly context: Context
  /** 0 for any free port. */
  readonly port: number
  /** Loopback by default. Any other address needs TLS. */
  readonly host?: string
  /** True for a certificate of our own authority, or the user's own certificate. */
  readonly tls?: boolean | { readonly cert: string; readonly key: string }
  /** More names of the server, such as one of a tailnet. For a proxy its whole origin: `https://box.tail1.ts.net`. */
  readonly names?: readonly string[]
  readonly unixSocket?: string
  /** Which sessions users are viewing; passed in by parts that start before the listeners. */
  readonly presence?: Presence
  /** Routes whose handlers the caller creates. */
  readonly routes?: readonly Route[]
  /** The folder of the built phone app. */
  readonly app?: string | undefined
  readonly limits?: Partial<Limits>
  readonly heartbeatMs?: number
  readonly staleMs?: number
}

export interface Listening {
  /** @example 'http://127.0.0.1:4750' */
  readonly url: string
  readonly port: number
  readonly unixSocket: string | undefined
  /** Fingerprint of our own authority, to compare on the phone. */
  readonly fingerprint: string | undefined
  readonly presence: Presence
  readonly devices: Devices
  readonly people: People
  readonly pairing: Pairing
  /** The number of open WebSockets. */
  readonly connections: number
  close(): Promise<void>
}

/**
 * Listens on TCP for paired devices and on the unix socket for the user.
 *
 * @example const listening = await listen({ context, port: 4750, unixSocket })
 */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { context, host = '127.0.0.1', port, tls = false, names = [] } = options
  if (!isLoopback(host) && !tls) throw createTlsError(host)
  const bounds: Limits = { ...limits, ...options.limits }
  const { store, ledger, log } = context
  const people = await People.load({
    store,
    audit: ledger.audit,
    local: getLocalPerson(),
    maxPeople: bounds.people,
  })
  const devices = await Devices.load({
    store,
    people,
    audit: ledger.audit,
    idleMs: bounds.deviceIdleMs,
    maxDevices: bounds.devices,
  })
  const pairing = new Pairing({ audit: ledger.audit, log, local: people.local, limits: bounds })
  const proxies = names.filter(isOrigin).map((name) => new URL(name).origin)
  const hostNames = names.filter((name) => !isOrigin(name))
  const own = [...new Set([...(isWildcard(host) ? listReachableAddresses(host) : [host]), ...hostNames])]
  const folder = join(context.remoraHome, 'certificates')
  const generated =
    tls === true
      ? await loadCertificates({ folder, names: own, optionalNames: listMachineNames() })
      : undefined
  const secure = generated ?? (typeof tls === 'object' ? tls : undefined)
  const ca = generated && { pem: generated.ca, fingerprint: generated.fingerprint }

  const urls: string[] = []
  const services = { context, devices, people, pairing, urls, ca }
  const { heartbeatMs, staleMs } = options
  const hub = await Hub.start({
    context,
    devices,
    people,
    limits: bounds,
    presence: options.presence,
    heartbeatMs,
    staleMs,
  })
  const app = createApp({
    ...services,
    limits: bounds,
    routes: [...createChangesRoutes(context), ...createFilesRoutes(context), ...(options.routes ?? [])],
    files: options.app === undefined ? undefined : new AppFiles(options.app),
  })
  const servers: HttpServer[] = []
  const close = async (): Promise<void> => {
    await hub.close()
    await Promise.all(servers.map(closeServer))
  }
  try {
    // The gate needs the port, which is known only once the server listens.
    const guard: { gate?: Gate } = {}
    const tcpServer = createHttpServer({
      app,
      hub,
      limits: bounds,
      secure,
      admit(request) {
        if (!guard.gate) throw new RemoraError('overloaded', 'The server is starting')
        return guard.gate.admit(request)
      },
    })
    servers.push(tcpServer)
    const bound = await listenTcp(tcpServer, host, port)
    const hosts = allowHosts({
      names: [...own, ...proxies, ...(generated?.names ?? [])],
      port: bound,
      secure: secure !== undefined,
    })
    guard.gate = new Gate({ hosts, devices, people, limits: bounds })
    const scheme = secure ? 'https' : 'http'
    for (const name of [...own.filter((each) => !isLoopback(each)), ...own.filter(isLoopback)])
      urls.push(`${scheme}://${name.includes(':') ? `[${name}]` : name}:${bound}`)
    if (urls.length === 0) urls.push(`${scheme}://localhost:${bound}`)
    urls.push(...proxies)

    const unixSocket = options.unixSocket === undefined ? undefined : shortenSocketPath(options.unixSocket)
    if (unixSocket !== undefined) {
      const admit = admitUser(people.local)
      const unixServer = createHttpServer({ app, hub, limits: bounds, secure: undefined, admit })
      await listenUnix(unixServer, unixSocket)
      servers.push(unixServer)
    }
    const { presence } = hub
    const fingerprint = generated?.fingerprint
    return {
      url: urls[0]!,
      port: bound,
      unixSocket,
      fingerprint,
      presence,
      devices,
      people,
      pairing,
      get connections() {
        return hub.size
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Lists the names by which other machines find this one in the local network. */
function listMachineNames(): string[] {
  const name = hostname().toLowerCase()
  if (!/^[a-z0-9.-]+$/.test(name)) return []
  return name.includes('.') ? [name] : [name, `${name}.local`]
}

function listenTcp(server: HttpServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(toListenError(error, host, port)))
    server.listen(port, host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}

function closeServer(server: HttpServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

function createTlsError(host: string): RemoraError {
  return new RemoraError('config', `Cannot listen on ${host} without TLS`, {
    hint: 'Use remora serve --lan or --tailscale to create a certificate, or provide your own.',
  })
}

function toListenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new RemoraError('conflict', `Port ${port} on ${host} is in use`, {
      hint: 'Choose another port: --port',
      cause: error,
    })
  if (error.code === 'EACCES' || error.code === 'EADDRNOTAVAIL')
    return new RemoraError('config', `Cannot listen on port ${port} of ${host}: ${error.code}`, {
      cause: error,
    })
  return error
}
