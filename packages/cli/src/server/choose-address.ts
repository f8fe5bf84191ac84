import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Reach } from '../client/server-note.ts'
import { fail, UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { getReach, tailscaleName } from './addresses.ts'

/** The default port. */
export const defaultPort = 4750

/** Where the server listens. */
export interface Place {
  readonly host: string
  readonly port: number
  readonly reach: Reach
  /** TLS with our own certificate (true) or the user's. Everything but loopback needs it. */
  readonly tls: boolean | { readonly cert: string; readonly key: string }
  /** Host names accepted besides the address. */
  readonly names?: readonly string[]
}

/** Chooses the address: options, then settings, then loopback. */
export async function choosePlace(values: Input['values'], io: Io): Promise<Place> {
  const { loadConfig, parsePort } = await import('../home/config.ts')
  const { findLanAddress, findTailscaleAddress } = await import('@remora/server')
  const settings = await loadConfig(io)
  const chosen = ['host', 'lan', 'tailscale'].filter((name) => values[name])
  if (chosen.length > 1)
    throw new UsageError(`--${chosen[0]} and --${chosen[1]} cannot be combined`, 'Leave one of them out')
  const text = typeof values['port'] === 'string' ? values['port'] : settings.get('server.port')
  const port = text === undefined ? defaultPort : parsePort(text)
  if (port === undefined)
    throw new UsageError(`Invalid port "${text}"`, 'Use a number up to 65535; 0 picks a free port')
  const word = chosen[0] === 'host' ? String(values['host']) : (chosen[0] ?? settings.get('server.host'))
  const own = await ownCertificate(values, io)
  if (word === 'lan') return { host: findLanAddress(), port, reach: 'lan', tls: own ?? true }
  if (word === 'tailscale') {
    const name = await tailscaleName(io.env)
    const place = { host: findTailscaleAddress(), port, reach: 'tailscale', tls: own ?? true } as const
    return name === undefined ? place : { ...place, names: [name] }
  }
  const host = word ?? '127.0.0.1'
  const reach = await getReach(host)
  return { host, port, reach, tls: own ?? reach !== 'loopback' }
}

async function ownCertificate(
  values: Input['values'],
  io: Io,
): Promise<{ cert: string; key: string } | undefined> {
  const { cert, key } = values
  if (cert === undefined && key === undefined) return undefined
  if (typeof cert !== 'string' || typeof key !== 'string')
    throw new UsageError(
      '--cert and --key must be used together',
      'Pass both, or neither to use the certificate from remora serve cert',
    )
  const [certText, keyText] = await Promise.all([cert, key].map((file) => readPem(resolve(io.cwd, file))))
  return { cert: certText!, key: keyText! }
}

async function readPem(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw await fail('config', `Cannot read ${file}: ${(error as Error).message}`, 'Check the path.')
  }
}
