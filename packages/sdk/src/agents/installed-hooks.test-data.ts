import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { loadScenario, startScriptedModel } from '@remora/scripted-model'
import { createHome, getFacts, launch, listTestVersions } from '@remora/testkit'
import { describe, expect, it } from 'vitest'
import type { Agent, HookFacts } from '../contract/agent.ts'
import { installHooks } from '../channels/hooks/install-hooks.ts'
import { hookStatus } from '../channels/hooks/hook-status.ts'
import { uninstallHooks } from '../channels/hooks/uninstall-hooks.ts'
import { setJsonc } from '../files/jsonc-edit.ts'

/**
 * What installing promises, shown with the real CLI: it tells us of a turn, runs the hooks of others too, says nothing of
 * it, and gets its settings back byte for byte.
 *
 * @example testInstalledHooks(gemini)
 */
export function testInstalledHooks(agent: Agent): void {
  for (const version of listTestVersions(agent.id)) {
    const facts = getFacts(agent, version, 'hooks')
    if (facts === 'own') throw new Error(`${agent.title} tests its hooks in its own way`)
    testInstalled(agent, version, facts)
  }
}

function testInstalled(agent: Agent, version: string, { event, reported, cannot }: HookFacts): void {
  const scopes = cannot.includes('project') ? (['user'] as const) : (['user', 'project'] as const)
  describe(`hooks that are installed in ${agent.title} ${version}`, () => {
    it.each(scopes)('for the %s are run, beside others, and leave no trace', async (scope) => {
      const scenario = await loadScenario('failing-shell')
      await using model = await startScriptedModel({ scenario })
      await using home = await createHome(agent.id, { version, model })
      const place = { env: home.env, home: home.path, cwd: home.cwd, version }
      // A name that a shell would take apart.
      const remoraHome = join(home.path, `it's $HOME`)
      const [target] = await agent.hooks!.targets(place, scope)
      const other = join(home.path, 'other')
      // At its first start a CLI may rename old settings.
      if (scope === 'user')
        await (await launch(agent.id, { version, home, model, scenario }))[Symbol.asyncDispose]()
      const text = await readFile(target!.file, 'utf8').catch(() => '{}\n')
      const before = withOther(text, cannot.includes('comments') ? '' : '// Mine\n', event, other)
      await mkdir(dirname(target!.file), { recursive: true })
      await writeFile(target!.file, before)

      await installHooks(agent, { place, remoraHome, scope })
      expect(await hookStatus(agent, { place, remoraHome, scope })).toMatchObject({
        installed: true,
        problems: [],
        files: [{ state: 'current', others: [{ event }] }],
      })
      // The hooks of its end may still run when it has ended.
      await using run = await launch(agent.id, { version, home, model, scenario, patience: 30_000 })
      expect(run.code).toBe(0)
      expect(run.stderr).not.toMatch(/[1-9] failed|failed for|No such file|Warning:|timed out/)
      const payloads = await spooled(join(remoraHome, 'spool'), agent.id)
      const names = payloads.map((payload) => payload.hook_event_name)
      expect(new Set(names)).toEqual(new Set(reported))
      expect(await readFile(other, 'utf8')).toContain(`"${event}"`)

      expect((await uninstallHooks(agent, { place, remoraHome })).files).toEqual([
        { file: target!.file, result: 'restored' },
      ])
      expect(await readFile(target!.file, 'utf8')).toBe(before)
    })
  })
}

/** Settings with the hook of another tool, which keeps what it is told. */
function withOther(text: string, comment: string, event: string, file: string): string {
  const hook = { type: 'command', command: `cat >> '${file}'` }
  return setJsonc(`${comment}${text}`, ['hooks', event], [{ matcher: '.*', hooks: [hook] }])
}

async function spooled(folder: string, agent: string): Promise<{ hook_event_name: string }[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ready'))
  expect(names).not.toEqual([])
  return Promise.all(
    names.map(async (name) => {
      expect(name).toMatch(new RegExp(String.raw`^\d+/${agent}\.\d+\.\d+\.ready$`))
      const text = await readFile(join(folder, name.replace(/\.ready$/, '')), 'utf8')
      return JSON.parse(text) as { hook_event_name: string }
    }),
  )
}
