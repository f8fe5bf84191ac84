import { resolve } from 'node:path'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'

const names = ['port', 'host', 'lan', 'tailscale', 'cert', 'key']
const files = ['cert', 'key']

/** The options that say where the server listens, as words for a command line that is run elsewhere. */
export function placeWords(values: Input['values'], io: Pick<Io, 'cwd'>): string[] {
  return names.flatMap((name) => {
    const value = values[name]
    if (value === undefined || value === false) return []
    if (value === true) return [`--${name}`]
    return [`--${name}=${files.includes(name) ? resolve(io.cwd, value) : value}`]
  })
}
