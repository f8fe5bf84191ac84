import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { capabilities, type Mode, type Place } from '../../contract/agent.ts'
import { codex } from './index.ts'

describe('headless', () => {
  it.each<[Mode | undefined, string[]]>([
    [undefined, []],
    ['default', ['--sandbox', 'read-only']],
    ['acceptEdits', ['--sandbox', 'workspace-write']],
    ['plan', ['--sandbox', 'read-only', '--ignore-rules']],
    ['auto', ['--approve-for-me']],
    ['bypassPermissions', ['--dangerously-bypass-approvals-and-sandbox']],
  ])('has the arguments of mode %s', (mode, flags) => {
    expect(codex.headless.invocation({ prompt: 'hi', ...(mode ? { mode } : {}) }, '0.166.0')).toEqual({
      args: ['exec', '--json', ...flags, '-'],
      stdin: 'hi',
    })
  })

  it('puts resume after the options that it does not accept', () => {
    const request = {
      mode: 'plan',
      model: 'm',
      skipTrust: true,
      extraArgs: ['--ephemeral'],
      resume: 'id',
    } as const
    expect(codex.headless.invocation({ prompt: '', ...request }, undefined).args).toEqual(
      'exec --json --sandbox read-only --ignore-rules --model m --skip-git-repo-check --ephemeral resume id -'.split(
        ' ',
      ),
    )
  })

  it('refuses a session id', () => {
    expect(() => codex.headless.invocation({ prompt: '', sessionId: 'x' }, undefined)).toThrow(
      expect.objectContaining({
        code: 'unsupported',
        message: 'Codex does not support the option sessionId',
      }),
    )
  })
})

describe('the other channels', () => {
  it('speaks ACP through a wrapper', () => {
    const [maintained, earlier] = codex.acp.wrappers!.map(({ part }) =>
      part!.invocation!(undefined, { model: 'gpt-5.4' }),
    )
    expect(maintained).toEqual({ args: [], env: { CODEX_CONFIG: '{"model":"gpt-5.4"}' } })
    expect(earlier).toEqual({ args: ['-c', 'model="gpt-5.4"'] })
  })

  it('never starts its daemon', () => {
    const without = ['-c', 'features.daemon_auto_start=false']
    expect(codex.terminal.invocation({}, undefined).args).toEqual(without)
    const request = { mode: 'acceptEdits', model: 'm', resume: 'id' } as const
    expect(codex.terminal.invocation(request, undefined).args).toEqual([
      'resume',
      'id',
      ...without,
      '--sandbox',
      'workspace-write',
      '--ask-for-approval',
      'on-request',
      '--model',
      'm',
    ])
  })

  it('uses the folder in CODEX_HOME for its files', () => {
    const place = { home: '/h', cwd: '/w', env: {} }
    expect(codex.transcripts.root({ ...place, env: { CODEX_HOME: '/c' } })).toBe('/c/sessions')
  })

  it.each([
    ['2026/11/15/rollout-2026-11-15T19-04-00-01a1e0a7-4d22-7ac1-a70a-84bdf81ded42.jsonl', true],
    ['2026\\11\\15\\rollout-x.jsonl', true],
    ['2026/11/15/rollout-x-01a1e14f_01a1e150.jsonl', true],
    ['../archived_sessions/rollout-x.jsonl', true],
    ['rollout-x.jsonl', false],
    ['2026/11/15/notes.jsonl', false],
  ])('%s is a session: %s', (path, expected) => {
    expect(codex.transcripts.isSession(path)).toBe(expected)
  })

  it.each<[object, boolean]>([
    [{ timestamp: 't', type: 'session_meta', payload: { id: 's' } }, true],
    [{ id: 's', timestamp: 't', instructions: null }, true],
    [{ timestamp: 't', type: 'session_meta' }, false],
    [{ id: 's', timestamp: 't', type: 'user' }, false],
  ])('recognises %j as a session: %s', (record, expected) => {
    expect(codex.transcripts.isOwnRecord(record as Record<string, unknown>)).toBe(expected)
  })

  it('resumes a session on a terminal', () => {
    expect(codex.transcripts.resume('s').args).toEqual(['resume', 's'])
    expect(codex.transcripts.format('a.jsonl')).toBe('lines')
  })

  it('lists its capabilities', () => {
    const known = capabilities(codex, '0.166.0')
    expect(known).toMatchObject({ planMode: true, attach: true, fork: true, permissionModeSwitch: 'toggle' })
    expect(known.effortLevels).toContain('ultra')
    expect(known.models.map((model) => model.id)).toContain('gpt-6.1-sol')
  })
})

describe('health', () => {
  let home: string
  let cwd: string
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'remora-codex-'))
    cwd = join(home, 'work')
    await mkdir(cwd)
  })
  afterEach(() => rm(home, { recursive: true, force: true }))

  async function file(path: string, content: string): Promise<void> {
    const full = join(home, path)
    await mkdir(dirname(full), { recursive: true })
    await writeFile(full, content)
  }
  const check = (place: Partial<Place> = {}) => codex.health({ home, cwd, env: {}, ...place })
  const codes = async (place?: Partial<Place>) => (await check(place)).map((problem) => problem.code)
  const trusted = () => `[projects."${cwd}"]\ntrust_level = "trusted"\n`

  it('finds no problem in a complete home', async () => {
    await file('.codex/config.toml', trusted())
    await file('.codex/auth.json', '{}')
    expect(await check()).toEqual([])
  })

  it('reports every problem of an empty home', async () => {
    expect(await check()).toEqual([
      {
        code: 'no_credentials',
        message: expect.stringContaining('CODEX_API_KEY'),
        hint: expect.stringContaining('codex login'),
      },
      {
        code: 'untrusted_folder',
        message: expect.stringContaining('no git repository'),
        hint: expect.stringContaining(cwd),
      },
    ])
  })

  it('accepts a key or a keychain as credentials', async () => {
    await file('.codex/config.toml', trusted())
    expect(await check({ env: { CODEX_API_KEY: 'x' } })).toEqual([])
    await file('.codex/config.toml', `cli_auth_credentials_store = "keyring"\n${trusted()}`)
    expect(await check()).toEqual([])
  })

  it('reports the variable that a provider needs', async () => {
    const provider = '[model_providers.mine]\nname = "Mine"\nenv_key = "MINE_KEY"\n'
    await file('.codex/config.toml', `model_provider = "mine"\n${provider}${trusted()}`)
    expect(await check()).toEqual([
      {
        code: 'no_credentials',
        message: expect.stringContaining('needs MINE_KEY'),
        hint: expect.stringContaining('Set MINE_KEY'),
      },
    ])
    expect(await check({ env: { MINE_KEY: 'x' } })).toEqual([])
    await file(
      '.codex/config.toml',
      `model_provider = "mine"\n[model_providers.mine]\nname = "Local"\n${trusted()}`,
    )
    expect(await check()).toEqual([])
  })

  it('trusts any repository unless the settings deny it', async () => {
    await mkdir(join(home, '.git'))
    await file('.codex/auth.json', '{}')
    expect(await check()).toEqual([])
    await file('.codex/config.toml', `[projects."${home}"]\ntrust_level = "untrusted"\n`)
    expect(await check()).toEqual([
      { code: 'untrusted_folder', message: expect.stringContaining('"untrusted"'), hint: expect.any(String) },
    ])
    await file('.codex/config.toml', `[projects."${home}"]\ntrust_level = "trusted"\n`)
    expect(await check()).toEqual([])
  })

  it('reports hooks that are disabled or not trusted', async () => {
    await file('.codex/auth.json', '{}')
    await file('.codex/hooks.json', '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"beep"}]}]}}')
    await file('.codex/config.toml', trusted())
    expect(await codes()).toEqual(['hooks_untrusted'])
    const state = `[hooks.state."${home}/.codex/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:1"\n`
    await file('.codex/config.toml', trusted() + state)
    expect(await codes()).toEqual([])
    await file('.codex/config.toml', `${trusted()}[features]\nhooks = false\n`)
    expect(await codes()).toEqual(['hooks_off'])
    await file('.codex/hooks.json', '{"hooks":{}}')
    await file('.codex/config.toml', trusted())
    expect(await codes()).toEqual([])
  })

  it('reports a malformed file without showing its content', async () => {
    await file('.codex/auth.json', '{}')
    await file('.codex/config.toml', 'model = "x"\ntoken = sk-secret\n')
    await file('.codex/hooks.json', '{')
    const problems = (await check()).filter((problem) => problem.code === 'bad_settings')
    expect(problems.map((problem) => problem.message)).toEqual([
      expect.stringContaining('config.toml is malformed: line 2'),
      expect.stringContaining('hooks.json is malformed: line 1'),
    ])
    expect(JSON.stringify(problems)).not.toContain('sk-secret')
  })
})
