import { once } from 'node:events'
import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { loadScenario, startScriptedModel } from '@remora/scripted-model'
import { createHome, launch, listTestVersions } from '@remora/testkit'
import { describe, expect, it } from 'vitest'
import { installHooks } from '../../channels/hooks/install-hooks.ts'
import { scanSpool } from '../../channels/hooks/spool.ts'
import { hookStatus } from '../../channels/hooks/hook-status.ts'
import { uninstallHooks } from '../../channels/hooks/uninstall-hooks.ts'
import { opencode } from './index.ts'

const scenario = await loadScenario('shell')

describe.each(listTestVersions('opencode'))('opencode %s', (version) => {
  it('reports all events without waiting for npm, and uninstalls cleanly', async () => {
    await using model = await startScriptedModel({ scenario })
    await using home = await createHome('opencode', { version, model })
    const config = join(home.path, '.config', 'opencode')
    const place = { env: home.env, home: home.path, cwd: home.cwd, version }
    const options = { place, remoraHome: join(home.path, "it's mine") }
    await writeFile(join(config, '.npmrc'), 'audit=true')
    await installHooks(opencode, options)
    expect(await hookStatus(opencode, options)).toMatchObject({ installed: true, problems: [] })
    await using registry = await brokenRegistry()
    // The npm settings of the test home would hide whether ours work.
    const env: Record<string, string> = { ...home.env, npm_config_registry: registry.url }
    delete env['npm_config_fetch_retries']

    const run = await launch('opencode', { home: { ...home, env }, model, scenario })
    expect(run.code).toBe(0)
    const names = await spooled(options.remoraHome)
    expect(names.filter((name) => !/^(?:session|message)\.(?:updated|status|diff)$/.test(name))).toEqual([
      'session.created',
      'chat.message',
      'tool.execute.before',
      'permission.asked',
      'permission.replied',
      'tool.execute.after',
      'session.idle',
    ])
    expect(registry.asked).toBe(1)

    await uninstallHooks(opencode, options)
    expect(await readFile(join(config, '.npmrc'), 'utf8')).toBe('audit=true')
    await expect(access(join(config, 'plugin'))).rejects.toThrow('ENOENT')
  })

  it('keeps other plugins running', async () => {
    await using model = await startScriptedModel({ scenario })
    await using home = await createHome('opencode', { version, model })
    const other = join(home.path, '.config', 'opencode', 'plugins', 'other.js')
    const npmrc = join(home.path, '.config', 'opencode', '.npmrc')
    const text = `import { writeFileSync } from 'node:fs'
export const Other = async () => ({ 'chat.message': async () => writeFileSync('others.txt', 'told') })
`
    await mkdir(dirname(other), { recursive: true })
    await writeFile(other, text)
    const place = { env: home.env, home: home.path, cwd: home.cwd, version }
    const options = { place, remoraHome: join(home.path, '.remora') }
    await installHooks(opencode, options)
    await expect(access(npmrc)).rejects.toThrow('ENOENT')

    const run = await launch('opencode', { home, model, scenario })
    expect(run.code).toBe(0)
    expect(await run.files()).toContain('others.txt')
    expect(await spooled(options.remoraHome)).toContain('session.idle')
    await uninstallHooks(opencode, options)
    expect(await readFile(other, 'utf8')).toBe(text)
    await expect(access(npmrc)).rejects.toThrow('ENOENT')
  })
})

/** A registry that closes every connection. Each retry of npm would take ten seconds or more. */
async function brokenRegistry(): Promise<{ url: string; readonly asked: number } & AsyncDisposable> {
  let asked = 0
  const server = createServer((request) => {
    asked++
    request.socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    get asked() {
      return asked
    },
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

/** The reported events, by name and in order. */
async function spooled(remoraHome: string): Promise<string[]> {
  const { entries, unfinished } = scanSpool(remoraHome)
  expect(unfinished).toEqual([])
  return Promise.all(
    entries.map(async ({ file }) => {
      const payload = JSON.parse(await readFile(file, 'utf8')) as {
        hook_event_name: string
        event?: { type: string }
      }
      return payload.event?.type ?? payload.hook_event_name
    }),
  )
}
