import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { capabilities, type HookScope } from '../../contract/agent.ts'
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
  it('supports only hooks', () => {
    expect(capabilities(kiro)).toMatchObject({
      channels: ['hooks'],
      permissionModes: [],
      planMode: false,
      interrupt: false,
      permissionModeSwitch: 'none',
    })
  })

  it('installs hooks in each of its agents, or in a new one', async () => {
    const place = { home, cwd: '/w', env: {} }
    const [target, ...rest] = await kiro.hooks.targets(place, 'user')
    expect(target!.file).toBe(join(home, '.kiro/agents/remora.json'))
    expect(rest).toEqual([])
    const hook = { kind: 'record', event: 'stop', command: ['/h/remora-hook', 'kiro'] } as const
    expect(JSON.parse(target!.added('', [hook]))).toMatchObject({
      name: 'remora',
      tools: ['*'],
      hooks: { stop: [{ command: '/h/remora-hook kiro', timeout_ms: 5000 }] },
    })
    await file('.kiro/agents/b.json', '{}')
    await file('.kiro/agents/a.json', '{}')
    await file('.kiro/agents/a.md', '')
    const files = async (env: Record<string, string>, scope: HookScope) =>
      (await kiro.hooks.targets({ ...place, env }, scope)).map((each) => each.file)
    expect(await files({}, 'user')).toEqual(['a', 'b'].map((name) => join(home, `.kiro/agents/${name}.json`)))
    expect(await files({ KIRO_HOME: '/k' }, 'user')).toEqual(['/k/agents/remora.json'])
    expect(await files({}, 'project')).toEqual(['/w/.kiro/agents/remora.json'])
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
