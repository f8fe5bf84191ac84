import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The install scripts in the npm logs of a folder. @example ['esbuild@0.28.2 postinstall'] */
export function listInstallScripts(folder) {
  if (!existsSync(folder)) return []
  const logs = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  const started = /\binfo run (\S+@\S+) (preinstall|install|postinstall|prepare) (?!\{)/g
  return logs.flatMap((text) => [...text.matchAll(started)].map(([, name, event]) => `${name} ${event}`))
}
