import { readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AcpWrapper, Place } from '../contract/agent.ts'
import { asRecord, asString } from '../events/fields.ts'
import { atLeast } from '../versions/version.ts'

export interface DriveOptions {
  /** The environment variable with the CLI that the wrapper starts. */
  readonly variable: string
  /** The package of the wrapper's bundled CLI, and the field of its package.json with the CLI's version. */
  readonly bundled: { readonly package: string; readonly field: string }
  /** The oldest CLI that the wrapper supports. With an older one the bundled CLI is started. */
  readonly minimum?: string
}

/** Makes a wrapper start the user's own CLI instead of its bundled one. The user's variable takes precedence. */
export function driveOwnCli({ variable, bundled, minimum }: DriveOptions): {
  readonly drives: AcpWrapper['drives']
  env(version: string | undefined): (place: Place, own: string | undefined) => Record<string, string>
} {
  const isSupported = (version: string | undefined) =>
    minimum === undefined || version === undefined || atLeast(version, minimum)
  return {
    async drives(found, own, env) {
      const chosen = env[variable]
      if (chosen && chosen !== own?.path) return { own: true }
      return own && (chosen || isSupported(own.version))
        ? { own: true, version: own.version }
        : { own: false, version: await readBundledVersion(found.path, bundled) }
    },
    env: (version) => (place, own) => {
      const chosen = place.env[variable] || (isSupported(version) ? own : undefined)
      return chosen === undefined ? {} : { [variable]: chosen }
    },
  }
}

/** Reads the version of a wrapper's bundled CLI, resolving its package as Node.js would. */
async function readBundledVersion(
  path: string,
  bundled: DriveOptions['bundled'],
): Promise<string | undefined> {
  const target = await realpath(path).catch(() => path)
  for (let folder = dirname(target); ; folder = dirname(folder)) {
    const file = join(folder, 'node_modules', bundled.package, 'package.json')
    const version = await readField(file, bundled.field)
    if (version !== undefined || folder === dirname(folder)) return version
  }
}

async function readField(file: string, field: string): Promise<string | undefined> {
  try {
    return asString(asRecord(JSON.parse(await readFile(file, 'utf8')))?.[field])
  } catch {
    return undefined
  }
}
