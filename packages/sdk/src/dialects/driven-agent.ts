import { readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AcpWrapper, Place } from '../contract/agent.ts'
import { asRecord, asString } from '../events/fields.ts'
import { atLeast } from '../versions/version.ts'

export interface DriveOptions {
  /** The variable that tells the wrapper which CLI to start. */
  readonly variable: string
  /** The package that brings the wrapper's own CLI, and the field of its package.json with the version of that CLI. */
  readonly bundled: { readonly package: string; readonly field: string }
  /** The oldest CLI that the wrapper can drive. An older one is left alone, and the bundled one is started. */
  readonly minimum?: string
}

/** How a wrapper starts the user's own CLI instead of the one that it brings. A CLI that the user named wins. */
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

/** Reads the version of the CLI that a wrapper brings, as Node would find its package from the wrapper's file. */
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
