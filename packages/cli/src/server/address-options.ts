import { resolve } from 'node:path'
import type { Io } from '../command/io.ts'
import type { Input, Option } from '../command/verb.ts'

/** Options of `serve` and `service` that choose where the server listens. */
export const addressOptions = {
  port: { value: 'port', description: 'Port; 0 picks a free one' },
  host: { value: 'address', description: 'Address to listen on (default: 127.0.0.1; others need TLS)' },
  lan: { description: 'Listen on the local network, using the certificate from remora serve cert' },
  tailscale: { description: 'Listen on your tailnet address' },
  cert: { value: 'file', description: 'TLS certificate file; needs --key' },
  key: { value: 'file', description: 'Private key file for --cert' },
} as const satisfies Record<string, Option>

/** Formats the address options for a `remora serve` that runs in another folder. */
export function toAddressArguments(values: Input['values'], io: Pick<Io, 'cwd'>): string[] {
  return Object.keys(addressOptions).flatMap((name) => {
    const value = values[name]
    if (value === undefined || value === false) return []
    if (value === true) return [`--${name}`]
    return [`--${name}=${name === 'cert' || name === 'key' ? resolve(io.cwd, value) : value}`]
  })
}
