import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { capabilities, type Mode, type Place } from '../../contract/agent.ts'
import { opencode } from './index.ts'

let home: string
let cwd: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'remora-opencode-'))
  cwd = join(home, 'work')
  await mkdir(cwd)
})
afterEach(() => rm(home, { recursive: true, force: true }))

describe('headless', () => {
  const base = 'run --format json --thinking --print-logs --log-level ERROR'.split(' ')

  it.each<[Mode | undefined, string[], Record<string, string> | undefined]>([
    [undefined, [], undefined],
    ['default', [], undefined],
    ['acceptEdits', [], { OPENCODE_PERMISSION: '{"edit":"allow"}' }],
    ['plan', ['--agent', 'plan'], undefined],
    ['bypassPermissions', ['--auto'], undefined],
  ])('mode %s', (mode, flags, env) => {
    expect(
      opencode.headless.invocation({ prompt: 'hi there', ...(mode ? { mode } : {}) }, '1.18.33'),
    ).toEqual({
      args: [...base, ...flags],
      stdin: 'hi there',
      ...(env ? { env } : {}),
    })
  })

  it('passes every option but a session id', () => {
    const request = { model: 'a/b', resume: 'ses_1', extraArgs: ['--pure'], skipTrust: true }
    const { args } = opencode.headless.invocation({ prompt: '', ...request }, undefined)
    expect(args).toEqual([...base, '--model', 'a/b', '--session', 'ses_1', '--pure'])
    expect(() => opencode.headless.invocation({ prompt: '', sessionId: 'x' }, undefined)).toThrow(
      expect.objectContaining({
        code: 'unsupported',
        message: 'OpenCode does not support the option sessionId',
      }),
    )
  })
})

describe('the other channels', () => {
  it('speaks ACP itself', () => {
    expect(opencode.acp.invocation(undefined)).toEqual({ args: ['acp'] })
    expect(opencode.acp.invocation(undefined, { mode: 'acceptEdits' })).toEqual({
      args: ['acp'],
      env: { OPENCODE_PERMISSION: '{"edit":"allow"}' },
    })
    expect(opencode.acp.invocation(undefined, { mode: 'bypassPermissions' }).env).toEqual({
      OPENCODE_PERMISSION: '{"*":"allow"}',
    })
  })

  it('starts in a terminal', () => {
    const { args } = opencode.terminal.invocation({ mode: 'plan', model: 'a/b', resume: 's' }, undefined)
    expect(args).toEqual(['--agent', 'plan', '--model', 'a/b', '--session', 's'])
    expect(opencode.terminal.invocation({ mode: 'acceptEdits' }, undefined).env).toEqual({
      OPENCODE_PERMISSION: '{"edit":"allow"}',
    })
  })

  it('keeps its files in the XDG folders', () => {
    const place = { home: '/h', cwd: '/w', env: {} }
    expect(opencode.transcripts.root(place)).toBe('/h/.local/share/opencode')
    const moved = { ...place, env: { XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' } }
    expect(opencode.transcripts.root(moved)).toBe('/d/opencode')
    expect(opencode.transcripts.isSession('opencode.db')).toBe(true)
    expect(opencode.transcripts.isSession('opencode.db-wal')).toBe(false)
  })

  it('lists its capabilities', () => {
    const known = capabilities(opencode, '1.18.33')
    expect(known).toMatchObject({ planMode: true, attach: true, models: [], permissionModeSwitch: 'toggle' })
    expect(known.contextWindow).toBeUndefined()
  })
})

describe('health', () => {
  async function file(path: string, content: string): Promise<void> {
    const full = join(home, path)
    await mkdir(dirname(full), { recursive: true })
    await writeFile(full, content)
  }
  const check = (place: Partial<Place> = {}) => opencode.health({ home, cwd, env: {}, ...place })
  const codes = async (place?: Partial<Place>) => (await check(place)).map((problem) => problem.code)

  it('reports missing credentials in an empty home', async () => {
    expect(await check()).toEqual([
      {
        code: 'no_credentials',
        message: expect.stringContaining('no login'),
        hint: expect.stringContaining('auth login'),
      },
    ])
    await file('.local/share/opencode/auth.json', '{}')
    expect(await codes()).toEqual(['no_credentials'])
  })

  it.each([
    ['.local/share/opencode/auth.json', '{"anthropic":{"type":"api","key":"x"}}'],
    ['.config/opencode/opencode.json', '{"provider":{"mine":{}}}'],
    ['.config/opencode/opencode.jsonc', '{/* mine */"provider":{"mine":{}},}'],
    ['work/opencode.json', '{"provider":{"mine":{}}}'],
  ])('accepts %s', async (path, content) => {
    await file(path, content)
    expect(await check()).toEqual([])
  })

  it('accepts a key or another configuration', async () => {
    expect(await check({ env: { ANTHROPIC_API_KEY: 'x' } })).toEqual([])
    await file('other.json', '{"provider":{"mine":{}}}')
    expect(await check({ env: { OPENCODE_CONFIG: join(home, 'other.json') } })).toEqual([])
  })

  it('reports disabled plugins', async () => {
    expect(await codes({ env: { ANTHROPIC_API_KEY: 'x', OPENCODE_PURE: '1' } })).toEqual(['hooks_off'])
    expect(await codes({ env: { ANTHROPIC_API_KEY: 'x', OPENCODE_PURE: '0' } })).toEqual([])
  })

  it('reports a malformed file', async () => {
    await file('work/opencode.json', '{"provider": }')
    expect(await check({ env: { ANTHROPIC_API_KEY: 'x' } })).toEqual([
      {
        code: 'bad_settings',
        message: expect.stringContaining('opencode.json is malformed'),
        hint: expect.any(String),
      },
    ])
  })
})
