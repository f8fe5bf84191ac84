import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { findAgent } from '@remora/sdk'
import { filesBelow, writeInto } from '../home.ts'
import type { Home } from '../home.ts'

/**
 * Installs hooks that put every payload into a folder, one file each and named by the clock: hooks run in parallel, and
 * an append to one file would mix them.
 *
 * @example
 * const payloads = await installSpool(home)
 * // … run …
 * await payloads()
 */
export async function installSpool(home: Home): Promise<() => Promise<string[]>> {
  const folder = join(dirname(home.path), 'hooks')
  const hooks = findAgent(home.agent)?.hooks
  if (!hooks) return async () => []
  await mkdir(folder)
  const file = hooks.file({ env: home.env, home: home.path, cwd: home.cwd, version: home.version })
  const config = hooks.config(() => `cat > '${folder}/'"$(date +%s%N)-$$"`)
  const present = await readFile(file, 'utf8').catch(() => undefined)
  // Gemini's hooks share their file with the settings of the home.
  const content = present === undefined ? config : JSON.stringify({ ...parsed(present), ...parsed(config) })
  await writeInto(home.path, relative(home.path, file), content)

  return async () => {
    const names = await filesBelow(folder)
    const payloads = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
    // One line each; a hook that was stopped early leaves an empty or a torn file.
    return payloads.flatMap((payload) => {
      try {
        return [JSON.stringify(JSON.parse(payload))]
      } catch {
        return []
      }
    })
  }
}

function parsed(text: string): object {
  return JSON.parse(text) as object
}
