import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HookScope, type Place, capabilities, modes } from '../../contract/agent.ts'
import { getPlanSettings } from './arguments.ts'
import { claude } from './index.ts'
import { toClaude } from './tools.ts'

/** What keeps plan mode read-only. */
const readOnly = ['--settings', JSON.stringify(getPlanSettings('plan'))]

describe('headless', () => {
  const base = ['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages']

  it('passes the prompt through stdin and claims no sandbox', () => {
    expect(claude.headless.invocation({ prompt: 'hi', skipTrust: true }, '2.1.197')).toEqual({
      args: base,
      stdin: 'hi',
    })
  })

  it.each(modes)('mode %s has the same name', (mode) => {
    expect(claude.headless.invocation({ prompt: '', mode }, undefined)).toEqual({
      args: [...base, '--permission-mode', mode, ...(mode === 'plan' ? readOnly : [])],
      stdin: '',
    })
  })

  it('passes every option', () => {
    const request = { model: 'opus', resume: 'r', sessionId: 's', extraArgs: ['--bare'] }
    const { args } = claude.headless.invocation({ prompt: '', ...request }, undefined)
    expect(args).toEqual([...base, '--model', 'opus', '--resume', 'r', '--session-id', 's', '--bare'])
  })
})

describe('the other channels', () => {
  it('speaks ACP through a wrapper', () => {
    const [, earlier] = claude.acp.wrappers!
    const message =
      'Internal error: [ede_diagnostic] result_type=user last_content_type=n/a stop_reason=tool_use'
    expect(message).toMatch(earlier!.part!.quirks!(undefined).refusal!)
  })

  it('asks about commands in plan mode, and only there', () => {
    const settings = getPlanSettings('plan')
    expect(settings).toMatchObject({
      useAutoModeDuringPlan: false,
      permissions: { disableBypassPermissionsMode: 'disable' },
    })
    expect(getPlanSettings('bypassPermissions').permissions).toBeUndefined()
    const [{ hooks }] = settings.hooks['PreToolUse'] as unknown as [{ hooks: [{ command: string }] }]
    const decide = (payload: object) =>
      execFileSync('sh', ['-c', hooks[0].command], { input: JSON.stringify(payload), encoding: 'utf8' })
    expect(JSON.parse(decide({ permission_mode: 'plan', tool_name: 'Bash' }))).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'ask' },
    })
    const input = { command: 'echo \'"permission_mode":"plan"\'' }
    expect(decide({ permission_mode: 'default', tool_input: input })).toBe('')
  })

  it('starts in a terminal', () => {
    const { args } = claude.terminal.invocation({ mode: 'plan', model: 'haiku', resume: 'id' }, undefined)
    expect(args).toEqual(['--permission-mode', 'plan', '--model', 'haiku', '--resume', 'id', ...readOnly])
    const settings = JSON.stringify(getPlanSettings('bypassPermissions'))
    expect(claude.terminal.invocation({}, undefined)).toEqual({ args: ['--settings', settings] })
  })

  it('has hooks for every event but those that replace an action of the CLI', async () => {
    const [target] = await claude.hooks.targets({ home: '/h', cwd: '/w', env: {} }, 'user')
    const hook = { kind: 'record', event: 'PreToolUse', command: ['/h/remora-hook', 'claude'] } as const
    expect(JSON.parse(target!.added('', [hook]))).toEqual({
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: '/h/remora-hook claude', timeout: 5 }] }] },
    })
    expect(claude.hooks.events).not.toContain('WorktreeCreate')
    expect(claude.hooks.events).toEqual(expect.arrayContaining([...claude.hooks.defaultEvents]))
    expect(claude.hooks.defaultEvents).not.toContain('MessageDisplay')
  })

  it('uses the folder in CLAUDE_CONFIG_DIR for its files', async () => {
    const place = { home: '/h', cwd: '/w', env: {} }
    const moved = { ...place, env: { CLAUDE_CONFIG_DIR: '/c' } }
    const files = (at: Place, scope: HookScope) =>
      claude.hooks.targets(at, scope).then((targets) => targets.map(({ file }) => file))
    expect(await files(place, 'user')).toEqual(['/h/.claude/settings.json'])
    expect(await files(moved, 'user')).toEqual(['/c/settings.json'])
    expect(await files(moved, 'project')).toEqual(['/w/.claude/settings.json'])
    expect(claude.transcripts.root(place)).toBe('/h/.claude/projects')
    expect(claude.transcripts.root(moved)).toBe('/c/projects')
  })

  it.each([
    ['-home-me-work/11111111-2222-3333-4444-555555555555.jsonl', true],
    ['-home-me-work\\11111111-2222-3333-4444-555555555555.jsonl', true],
    ['-home-me-work/agent-a1b2c3d4.jsonl', true],
    ['-home-me-work/11111111-2222-3333-4444-555555555555/subagents/agent-a.jsonl', true],
    ['-home-me-work/11111111-2222-3333-4444-555555555555/subagents/agent-a.meta.json', false],
    ['-home-me-work/11111111-2222-3333-4444-555555555555/tool-results/a.jsonl', false],
    ['-home-me-work/sessions-index.json', false],
  ])('%s is a session: %s', (path, expected) => {
    expect(claude.transcripts.isSession(path)).toBe(expected)
  })

  it.each<[object, boolean]>([
    [{ type: 'user', parentUuid: null, sessionId: 's', message: { content: 'x' } }, true],
    [{ type: 'queue-operation', operation: 'enqueue', sessionId: 's' }, true],
    [{ type: 'summary', summary: 'x', leafUuid: 'u' }, true],
    [{ type: 'file-history-snapshot', messageId: 'm', snapshot: {} }, true],
    // Records of Qwen and Gemini, and of Claude's stream.
    [{ type: 'user', parentUuid: null, sessionId: 's', message: { parts: [] } }, false],
    [{ type: 'main', sessionId: 's', projectHash: 'h' }, false],
    [{ type: 'system', subtype: 'init', session_id: 's' }, false],
    [{ sessionId: 's' }, false],
  ])('recognises %j as a session: %s', (record, expected) => {
    expect(claude.transcripts.isOwnRecord(record as Record<string, unknown>)).toBe(expected)
  })

  it('resumes a session on a terminal', () => {
    expect(claude.transcripts.resume('s').args).toEqual(['--resume', 's'])
    expect(claude.transcripts.format('a.jsonl')).toBe('lines')
  })

  it('lists its capabilities', () => {
    expect(capabilities(claude, '2.1.197')).toMatchObject({
      planMode: true,
      fork: true,
      statusLine: true,
      permissionModeSwitch: 'cycle',
      effortLevels: ['low', 'medium', 'high', 'xhigh', 'max'],
      contextWindow: 200_000,
    })
    expect(capabilities(claude).models.map((model) => model.id)).toEqual([
      'default',
      'opus',
      'sonnet',
      'haiku',
    ])
  })
})

describe('health', () => {
  let home: string
  let cwd: string
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'remora-claude-'))
    cwd = join(home, 'work')
    await mkdir(cwd)
  })
  afterEach(() => rm(home, { recursive: true, force: true }))

  async function file(path: string, content: unknown): Promise<void> {
    const full = join(home, path)
    await mkdir(dirname(full), { recursive: true })
    await writeFile(full, typeof content === 'string' ? content : JSON.stringify(content))
  }
  const check = (place: Partial<Place> = {}) => claude.health({ home, cwd, env: {}, ...place })
  const codes = async (place?: Partial<Place>) => (await check(place)).map((problem) => problem.code)
  const trusted = () => ({ projects: { [cwd]: { hasTrustDialogAccepted: true } } })
  const key = { ANTHROPIC_API_KEY: 'x' }

  it('finds no problem in a complete home', async () => {
    await file('.claude.json', trusted())
    expect(await check({ env: key })).toEqual([])
  })

  it('reports every problem of an empty home', async () => {
    expect(await check()).toEqual([
      {
        code: 'no_credentials',
        message: expect.stringContaining('no login'),
        hint: expect.stringContaining('log in'),
      },
      {
        code: 'untrusted_folder',
        message: expect.stringContaining(cwd),
        hint: expect.stringContaining('trust'),
      },
    ])
  })

  it.each<[string, Record<string, string>, Record<string, unknown>]>([
    ['a token', { ANTHROPIC_AUTH_TOKEN: 'x' }, {}],
    ['a login token', { CLAUDE_CODE_OAUTH_TOKEN: 'x' }, {}],
    ['Bedrock', { CLAUDE_CODE_USE_BEDROCK: '1' }, {}],
    ['a helper', {}, { '.claude/settings.json': { apiKeyHelper: '/bin/key' } }],
    ['a variable in the settings', {}, { '.claude/settings.json': { env: { ANTHROPIC_API_KEY: 'x' } } }],
    [
      'Vertex in the project',
      {},
      { 'work/.claude/settings.local.json': { env: { CLAUDE_CODE_USE_VERTEX: '1' } } },
    ],
    ['a stored login', {}, { '.claude/.credentials.json': {} }],
  ])('accepts %s as credentials', async (_name, env, files) => {
    await file('.claude.json', trusted())
    for (const [path, content] of Object.entries(files)) await file(path, content)
    expect(await check({ env })).toEqual([])
  })

  it('accepts an account whose secret is in the keychain', async () => {
    await file('.claude.json', { ...trusted(), oauthAccount: { emailAddress: 'me@example.com' } })
    expect(await check()).toEqual([])
  })

  it('trusts subfolders of a trusted folder', async () => {
    await file('.claude.json', { projects: { [home]: { hasTrustDialogAccepted: true } } })
    expect(await check({ env: key })).toEqual([])
    await file('.claude.json', { projects: { [cwd]: { hasTrustDialogAccepted: false } } })
    expect(await codes({ env: key })).toEqual(['untrusted_folder'])
  })

  it('reports the file that disables hooks', async () => {
    await file('.claude.json', trusted())
    await file('.claude/settings.json', { disableAllHooks: true })
    expect(await check({ env: key })).toEqual([
      {
        code: 'hooks_off',
        message: `Claude Code runs no hooks: disableAllHooks is set in ${home}/.claude/settings.json`,
        hint: expect.stringContaining('Remove'),
      },
    ])
  })

  it('follows CLAUDE_CONFIG_DIR', async () => {
    await file('moved/.claude.json', trusted())
    await file('moved/.credentials.json', {})
    expect(await check({ env: { CLAUDE_CONFIG_DIR: join(home, 'moved') } })).toEqual([])
  })

  it('reports a malformed file', async () => {
    await file('.claude.json', '{"projects": ')
    await file('.claude/settings.json', 'nonsense')
    expect((await codes({ env: key })).filter((code) => code === 'bad_settings')).toHaveLength(2)
  })
})

it('renames only Agent to the shared name Task', () => {
  expect(toClaude('Write', { file_path: 'a' })).toEqual({ name: 'Write', input: { file_path: 'a' } })
  expect(toClaude('Agent', { prompt: 'look' })).toEqual({ name: 'Task', input: { prompt: 'look' } })
  expect(toClaude('constructor', 1)).toEqual({ name: 'constructor', input: 1 })
})
