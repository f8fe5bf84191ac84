import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { gemini } from './index.ts'

let home = ''
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-gemini-hooks-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const off = { hooksConfig: { enabled: false } }
const on = { hooksConfig: { enabled: true } }
const without = (...disabled: unknown[]) => ({ hooksConfig: { disabled } })

it.each<[string, Record<string, object>, string[]]>([
  ['nothing said', {}, []],
  ['all of the user off', { user: off }, ['hooks_off']],
  ['all off for the project', { project: off }, ['hooks_off']],
  ['all on again for the project', { user: off, project: on }, []],
  ['all off on the machine', { user: on, system: off }, ['hooks_off']],
  ['ours off by name', { user: without('dp', 'remora') }, ['hooks_off']],
  ['ours off by command', { project: without('/h/.remora/hooks/remora-hook gemini') }, ['hooks_off']],
  ['others off', { user: without('dp ingest', 1, null) }, []],
  ['a list that is none', { user: { hooksConfig: { disabled: 'remora' } } }, []],
])('with %s', async (_, files, codes) => {
  const paths = {
    user: join(home, '.gemini/settings.json'),
    project: join(home, 'work/.gemini/settings.json'),
    system: join(home, 'system.json'),
  }
  for (const [name, content] of Object.entries(files)) {
    const path = paths[name as keyof typeof paths]
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, JSON.stringify(content))
  }
  const env = { GEMINI_CLI_TRUST_WORKSPACE: 'true', GEMINI_CLI_SYSTEM_SETTINGS_PATH: paths.system }
  const problems = await gemini.hooks.obstacles!(
    { home, cwd: join(home, 'work'), env, version: '0.61.0' },
    [],
  )
  expect(problems.map(({ code }) => code)).toEqual(codes)
})

it('reports missing trust and old versions', async () => {
  const place = { home, cwd: join(home, 'work'), env: {} }
  const untrusted = await gemini.hooks.obstacles!({ ...place, version: '0.61.0' }, [])
  expect(untrusted).toMatchObject([
    { code: 'untrusted_folder', message: expect.stringContaining('no hook runs there') as string },
  ])
  const old = await gemini.hooks.obstacles!({ ...place, version: '0.25.0' }, [])
  expect(old).toMatchObject([{ code: 'hooks_off', hint: expect.stringContaining('0.26.0') as string }])
})
