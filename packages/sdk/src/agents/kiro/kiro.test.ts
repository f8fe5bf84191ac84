import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { capabilities } from '../../capabilities.ts'
import { kiro } from './index.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-kiro-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

async function file(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(home, path)), { recursive: true })
  await writeFile(join(home, path), content)
}

describe('kiro', () => {
  it('is reached by hooks alone', () => {
    expect(capabilities(kiro)).toMatchObject({
      channels: ['hooks'],
      permissionModes: [],
      planMode: false,
      interrupt: false,
      permissionModeSwitch: 'none',
    })
  })

  it('has an agent with all tools and a hook for every event', () => {
    const config = JSON.parse(kiro.hooks.config((event) => `hook ${event}`)) as { hooks: object }
    expect(config).toMatchObject({ name: 'remora', tools: ['*'] })
    expect(Object.keys(config.hooks)).toEqual(kiro.hooks.events)
    expect(config.hooks).toHaveProperty('stop', [{ command: 'hook stop', timeout_ms: 5000 }])
    expect(kiro.hooks.file({ home: '/h', cwd: '/w', env: {} })).toBe('/h/.kiro/agents/remora.json')
    expect(kiro.hooks.file({ home: '/h', cwd: '/w', env: { KIRO_HOME: '/k' } })).toBe('/k/agents/remora.json')
  })

  it.each([
    ['nothing', '', {}, ['no_credentials']],
    ['a key', '', { KIRO_API_KEY: 'x' }, []],
    ['a login on Linux', '.local/share/kiro-cli/data.sqlite3', {}, []],
    ['a login on macOS', 'Library/Application Support/kiro-cli/data.sqlite3', {}, []],
    ['a broken agent file', '.kiro/agents/remora.json', { KIRO_API_KEY: 'x' }, ['bad_settings']],
  ])('with %s', async (_name, path, env: Record<string, string>, codes) => {
    if (path) await file(path, '{')
    const problems = await kiro.health({ home, cwd: home, env })
    expect(problems.map((problem) => problem.code)).toEqual(codes)
    for (const problem of problems) expect(problem.hint).not.toBe('')
  })
})
