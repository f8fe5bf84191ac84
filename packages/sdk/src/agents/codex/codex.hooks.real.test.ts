import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadScenario, startScriptedModel } from '@remora/scripted-model'
import { createHome, launch, listTestVersions, trustHooks } from '@remora/testkit'
import type { Home } from '@remora/testkit'
import { describe, expect, it } from 'vitest'
import { installHooks } from '../../channels/hooks/install-hooks.ts'
import { scanSpool } from '../../channels/hooks/spool.ts'
import { hookStatus } from '../../channels/hooks/hook-status.ts'
import { uninstallHooks } from '../../channels/hooks/uninstall-hooks.ts'
import { codex } from './index.ts'

const scenario = await loadScenario('shell')
/** For `notify`: Codex does not wait for it, and the run ends processes that are left behind. */
const patience = 30_000

describe.each(listTestVersions('codex'))('codex %s', (version) => {
  it('reports turns only by notify until the hooks are trusted', async () => {
    await using model = await startScriptedModel({ scenario })
    await using home = await createHome('codex', { version, model })
    const { options, config, hooksFile, others } = await prepare(home)
    const before = await readFile(config, 'utf8')
    await installHooks(codex, options)

    expect((await hookStatus(codex, options)).problems).toMatchObject([{ code: 'hooks_untrusted' }])
    const run = await launch('codex', { home, model, scenario, patience })
    expect(run.code).toBe(0)
    const payloads = await spooled(options.remoraHome, 1)
    expect(payloads).toMatchObject([{ type: 'agent-turn-complete', 'input-messages': [scenario.prompt] }])

    await uninstallHooks(codex, options)
    expect(await readFile(config, 'utf8')).toBe(before)
    expect(await readFile(hooksFile, 'utf8')).toBe(others)
  })

  it('runs all hooks once they are trusted, and those of the user', async () => {
    await using model = await startScriptedModel({ scenario })
    await using home = await createHome('codex', { version, model })
    const { options, config, hooksFile, others } = await prepare(home)
    const before = await readFile(config, 'utf8')
    await installHooks(codex, options)
    const installed = await readFile(config, 'utf8')
    await trustHooks(home)

    expect((await hookStatus(codex, options)).problems).toEqual([])
    const run = await launch('codex', { home, model, scenario, patience })
    expect(run.code).toBe(0)
    expect(await run.files()).toContain('others.txt')
    const names = (await spooled(options.remoraHome, 7)).map(
      (payload) => payload['hook_event_name'] ?? payload['type'],
    )
    // Codex does not wait for the notify program.
    expect(names.filter((name) => name !== 'agent-turn-complete')).toEqual([
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'Stop',
      'SessionEnd',
    ])
    expect(names).toContain('agent-turn-complete')

    await writeFile(config, installed)
    await uninstallHooks(codex, options)
    expect(await readFile(config, 'utf8')).toBe(before)
    expect(await readFile(hooksFile, 'utf8')).toBe(others)
  })
})

/** A home with another hook of the user. */
async function prepare(home: Home) {
  const hooksFile = join(home.path, '.codex', 'hooks.json')
  const command = `cat > '${join(home.cwd, 'others.txt')}'`
  const others = `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": ${JSON.stringify(command)}}]}]}}`
  await writeFile(hooksFile, others)
  const place = { env: home.env, home: home.path, cwd: home.cwd, version: home.version }
  const options = { place, remoraHome: join(home.path, "it's mine") }
  return { options, config: join(home.path, '.codex', 'config.toml'), hooksFile, others }
}

/** Waits until the spool has so many entries, since `notify` may still run when Codex has ended. */
async function spooled(remoraHome: string, count: number): Promise<Record<string, unknown>[]> {
  await expect.poll(() => scanSpool(remoraHome).entries, { timeout: 60_000 }).toHaveLength(count)
  return Promise.all(
    scanSpool(remoraHome).entries.map(
      async ({ file }) => JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>,
    ),
  )
}
