import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findAgent, installHooks, scanSpool } from '@remora/sdk/hooks'
import type { Home } from '../home.ts'

/**
 * Installs the hooks of Remora for every event, in a folder beside the home, and reads what they put into the spool.
 *
 * @example
 * const payloads = await installSpool(home)
 * // … run …
 * await payloads()
 */
export async function installSpool(home: Home): Promise<() => Promise<string[]>> {
  const agent = findAgent(home.agent)
  if (!agent?.hooks) return async () => []
  const remoraHome = join(dirname(home.path), 'remora')
  await installHooks(agent, {
    place: { env: home.env, home: home.path, cwd: home.cwd, version: home.version },
    remoraHome,
    // Codex has a program for the end of a turn besides its hooks, which tells nothing else.
    events: agent.hooks.events.filter((event) => event !== 'notify'),
  })
  return async () => {
    const { entries } = scanSpool(remoraHome)
    const payloads = await Promise.all(entries.map(({ file }) => readFile(file, 'utf8')))
    // One line each; a hook that was stopped early leaves a torn one.
    return payloads.flatMap((payload) => {
      try {
        return [JSON.stringify(JSON.parse(payload))]
      } catch {
        return []
      }
    })
  }
}
