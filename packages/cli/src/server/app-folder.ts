import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Where the built phone app is; undefined where it was not built, as in a checkout that only ran the compiler. */
export function appFolder(env: Readonly<Record<string, string | undefined>> = {}): string | undefined {
  // Another build of it, for those who work on the app.
  if (env['REMORA_APP']) return env['REMORA_APP']
  try {
    const folder = join(dirname(createRequire(import.meta.url).resolve('@remora/web/package.json')), 'dist')
    return existsSync(join(folder, 'index.html')) ? folder : undefined
  } catch {
    return undefined
  }
}
