import { describe, expect, it } from 'vitest'
import { capabilities, type HeadlessRequest, type HookScope, type Mode } from '../../contract/agent.ts'
import { gemini } from './index.ts'

const env = { GEMINI_CLI_NO_RELAUNCH: 'true' }
const stream = ['--output-format', 'stream-json']

describe('headless', () => {
  it('passes the prompt through stdin and does not restart itself', () => {
    expect(gemini.headless.invocation({ prompt: 'hi' }, '0.61.0')).toEqual({ args: stream, env, stdin: 'hi' })
  })

  it.each<[Mode, string]>([
    ['default', 'default'],
    ['acceptEdits', 'auto_edit'],
    ['plan', 'plan'],
    ['bypassPermissions', 'yolo'],
  ])('mode %s is %s', (mode, expected) => {
    const { args } = gemini.headless.invocation({ prompt: '', mode }, '0.34.0')
    expect(args).toEqual([...stream, '--approval-mode', expected])
  })

  it('passes every option', () => {
    const request = { model: 'flash', resume: 'r', sessionId: 's', skipTrust: true, extraArgs: ['--debug'] }
    const { args } = gemini.headless.invocation({ prompt: '', ...request }, undefined)
    expect(args.slice(2)).toEqual([
      '--model',
      'flash',
      '--resume',
      'r',
      '--session-id',
      's',
      '--skip-trust',
      '--debug',
    ])
  })

  it.each<[string, Partial<HeadlessRequest>, string, string]>([
    ['0.10.0', {}, 'headless', '0.11.0'],
    ['0.13.0', { resume: 'x' }, 'resume', '0.15.0'],
    ['0.27.4', { mode: 'plan' }, 'mode plan', '0.33.0'],
    ['0.39.0', { skipTrust: true }, 'skipTrust', '0.39.1'],
    ['0.34.0', { sessionId: 'x' }, 'sessionId', '0.41.0'],
    ['0.41.0-nightly.1', { sessionId: 'x' }, 'sessionId', '0.41.0'],
  ])('%s refuses %j by its name', (version, request, option, minimum) => {
    expect(() => gemini.headless.invocation({ prompt: 'x', ...request }, version)).toThrow(
      expect.objectContaining({
        code: 'unsupported',
        message: `Gemini CLI ${version} does not support the option ${option}`,
        hint: `Update Gemini CLI to ${minimum} or later, or leave ${option} out.`,
      }),
    )
  })

  it('skips trust only on request', () => {
    expect(gemini.headless.invocation({ prompt: 'x', skipTrust: false }, '0.34.0').args).toEqual(stream)
  })
})

describe('the other channels', () => {
  it.each([
    ['0.27.4', '--experimental-acp'],
    ['0.32.1', '--experimental-acp'],
    ['0.33.0', '--acp'],
    [undefined, '--acp'],
  ])('ACP of %s is %s', (version, flag) => {
    expect(gemini.acp.invocation(version)).toEqual({ args: [flag], env })
  })

  it('starts an ACP agent with a mode and a model, which old versions cannot change later', () => {
    const start = { mode: 'acceptEdits', model: 'flash' } as const
    expect(gemini.acp.invocation('0.27.4', start).args).toEqual([
      '--experimental-acp',
      '--approval-mode',
      'auto_edit',
      '--model',
      'flash',
    ])
    expect(() => gemini.acp.invocation('0.27.4', { mode: 'plan' })).toThrow('mode plan')
  })

  it('recognizes mode changes among the text of the model', () => {
    const mode = (text: string) => gemini.acp.quirks!(undefined).remarks!.exec(text)?.groups?.['mode']
    expect(mode('[MODE_UPDATE] autoEdit')).toBe('autoEdit')
    expect(mode('[MODE_UPDATE] is what the CLI writes')).toBeUndefined()
    expect(mode('It says [MODE_UPDATE] plan')).toBeUndefined()
  })

  it('starts in a terminal', () => {
    const request = { mode: 'acceptEdits', model: 'pro', resume: 'id' } as const
    const { args } = gemini.terminal.invocation(request, '0.61.0')
    expect(args).toEqual(['--approval-mode', 'auto_edit', '--model', 'pro', '--resume', 'id'])
    expect(() => gemini.terminal.invocation({ mode: 'plan' }, '0.30.1')).toThrow('mode plan')
  })

  it('installs hooks in its settings for all events except high-volume ones', async () => {
    const [target] = await gemini.hooks.targets({ home: '/h', cwd: '/w', env: {} }, 'user')
    const hook = { kind: 'record', event: 'BeforeTool', command: ['/a b/remora-hook', 'gemini'] } as const
    expect(JSON.parse(target!.added('', [hook]))).toEqual({
      hooks: {
        BeforeTool: [
          {
            hooks: [{ type: 'command', command: "'/a b/remora-hook' gemini", name: 'remora', timeout: 5000 }],
          },
        ],
      },
    })
    expect(gemini.hooks.events).toHaveLength(11)
    expect(gemini.hooks.defaultEvents).toEqual([
      'SessionStart',
      'SessionEnd',
      'BeforeAgent',
      'AfterAgent',
      'BeforeTool',
      'AfterTool',
      'Notification',
    ])
  })

  it('keeps its files in a folder that a variable moves', async () => {
    const place = { home: '/h', cwd: '/w', env: {} }
    const moved = { ...place, env: { GEMINI_CLI_HOME: '/g' } }
    const files = (at: typeof place, scope: HookScope) =>
      gemini.hooks.targets(at, scope).then((targets) => targets.map(({ file }) => file))
    expect(await files(place, 'user')).toEqual(['/h/.gemini/settings.json'])
    expect(await files(moved, 'user')).toEqual(['/g/.gemini/settings.json'])
    expect(await files(moved, 'project')).toEqual(['/w/.gemini/settings.json'])
    expect(await files(place, { file: '/x.json' })).toEqual(['/x.json'])
    expect(gemini.transcripts.root(place)).toBe('/h/.gemini/tmp')
    expect(gemini.transcripts.root(moved)).toBe('/g/.gemini/tmp')
  })

  it.each([
    ['work/chats/session-2026-11-15T17-43-5239999a.jsonl', true],
    ['work/chats/session-2026-02-01T17-43-5239999a.json', true],
    [`${'a'.repeat(64)}\\chats\\session-2025-10-27T19-55-981c87cb.json`, true],
    ['work/logs.json', false],
    ['work/chats/session-x.jsonl.bak', false],
    ['work/shell_history', false],
  ])('%s is a session: %s', (path, expected) => {
    expect(gemini.transcripts.isSession(path)).toBe(expected)
  })
})

describe('capabilities', () => {
  it('grow with the version', () => {
    expect(capabilities(gemini, '0.61.0')).toMatchObject({
      planMode: true,
      permissionModes: ['default', 'acceptEdits', 'plan', 'bypassPermissions'],
      resume: true,
      streaming: true,
      effortLevels: [],
      contextWindow: 1_048_576,
    })
    expect(capabilities(gemini, '0.27.4')).toMatchObject({
      planMode: false,
      permissionModes: ['default', 'acceptEdits', 'bypassPermissions'],
      resume: true,
    })
    expect(capabilities(gemini, '0.10.0')).toMatchObject({ resume: false, streaming: false })
  })

  it('name the models of the version, short names first', () => {
    const ids = (version?: string) => capabilities(gemini, version).models.map((model) => model.id)
    const short = ['auto', 'pro', 'flash', 'flash-lite']
    const current = ids('0.61.0')
    expect(current.slice(0, 4)).toEqual(short)
    expect(current).toContain('gemini-3.8-flash')
    expect(new Set(current).size).toBe(current.length)
    expect(ids()).toEqual(current)
    expect(ids('0.34.0')).toEqual([...short, 'gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-2.5-flash-lite'])
    expect(ids('0.11.3')).not.toContain('pro')
  })
})
