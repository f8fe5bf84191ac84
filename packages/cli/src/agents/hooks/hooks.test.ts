import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { agents } from '@remora/sdk'
import { describe, expect, it } from 'vitest'
import { TestHome } from '../../sessions/home.test-data.ts'
import { HookHome, settings } from './hooks.test-data.ts'

describe('remora hooks', () => {
  it('installs hooks in every installed agent, and removes them', async () => {
    using home = new HookHome()
    const done = await home.remora(['hooks', 'install'])
    expect(done).toMatchObject({ code: 0, err: '' })
    expect(done.out).toContain('For all installed agents:')
    expect(done.out).toContain('✓ Gemini CLI 7 events, installed  ~/.gemini/settings.json')
    expect(done.out).toContain('✓ Claude Code 14 events, installed  ~/.claude/settings.json')
    expect(existsSync(join(home.path, '.codex'))).toBe(false)
    expect((await home.remora(['hooks', 'install', 'gemini'])).out).toBe(
      '✓ Gemini CLI 7 events, unchanged  ~/.gemini/settings.json\n',
    )

    const { out } = await home.remora(['hooks', 'status'])
    expect(out).toContain('✓ Gemini CLI records SessionStart, SessionEnd, BeforeAgent')
    expect(out).toContain('- Kiro CLI has no Remora hooks')

    const undone = await home.remora(['hooks', 'uninstall'])
    expect(undone.code).toBe(0)
    expect(undone.out).toContain('~/.gemini/settings.json: restored, byte for byte')
    expect(undone.out).toContain('~/.claude/settings.json: deleted, because it had no other content')
    expect(home.read(home.gemini)).toBe(settings)
    expect(existsSync(join(home.path, '.claude'))).toBe(false)
    expect((await home.remora(['hooks', 'uninstall'])).out).toBe('No Remora hooks were installed.\n')
    expect((await home.remora(['hooks', 'status'])).out).toContain('To install them: remora hooks install')
  })

  it('prints JSON', async () => {
    using home = new HookHome()
    const words = ['gemini', '--json', '--settings', 'my.json']
    const file = join(home.path, 'my.json')
    const problems = [
      {
        code: 'hooks_unread',
        message: `Gemini CLI does not read ${file} by itself`,
        hint: expect.stringContaining('remora hooks install gemini') as string,
      },
    ]
    const installed = await home.remora(['hooks', 'install', ...words, '--events', 'AfterTool, AfterModel'])
    expect(installed.json()).toEqual([
      {
        agent: 'gemini',
        kind: 'record',
        events: ['AfterTool', 'AfterModel'],
        files: [{ file, changed: true }],
        problems,
      },
    ])
    const spool = join(home.state, 'spool')
    home.write(join(spool, '3/gemini.3.0'), '{}')
    home.write(join(spool, '3/gemini.3.0.ready'), '')
    home.write(join(spool, '4/gemini.4.0'), '{')
    home.write(join(spool, 'refused'), '\n\n')
    expect((await home.remora(['hooks', 'status', ...words])).json()).toEqual({
      agents: [
        {
          agent: 'gemini',
          installed: true,
          files: [
            {
              file,
              exists: true,
              state: 'current',
              events: ['AfterTool', 'AfterModel'],
              paved: [],
              others: [],
            },
          ],
          problems,
        },
      ],
      spool: { path: spool, pending: 1, refused: 2 },
    })
    expect((await home.remora(['hooks', 'status'])).out).toContain(
      '! Gemini CLI records AfterTool, AfterModel',
    )
    expect((await home.remora(['hooks', 'status'])).out).toContain(
      '1 payload in the spool; 2 payloads lost because it was full',
    )
    expect((await home.remora(['hooks', 'uninstall', ...words])).json()).toEqual([
      { agent: 'gemini', files: [{ file, result: 'deleted' }] },
    ])
  })

  it('prints one line per settings file', async () => {
    using home = new TestHome()
    const { out } = await home.remora(['hooks', 'install', 'codex', 'opencode'])
    expect(out).toContain('Codex 12 events, installed  ~/.codex/hooks.json, ~/.codex/config.toml\n')
    const status = (await home.remora(['hooks', 'status', 'opencode'])).out.split('\n')
    expect(status).toContainEqual(expect.stringMatching(/^✓ OpenCode records .*remora\.js, ~.*\.npmrc$/))
    expect(status.join('\n')).not.toContain('npm install')
  })

  it('counts the hooked events and names their files', async () => {
    using home = new HookHome()
    const project = await home.remora(['hooks', 'install', 'codex', '--project'])
    expect(project.out).toContain('Codex 11 events, installed  ~/.codex/hooks.json\n')
    const none = await home.remora(['hooks', 'install', 'codex', '--project', '--events', 'notify'])
    expect(none.code).toBe(2)
    expect(none.err).toContain('Codex can be told no hook there for notify')
    expect(home.read(join(home.path, '.codex/hooks.json'))).toContain('remora-hook')
  })

  it('reports a restored file only if it is unchanged', async () => {
    using home = new HookHome()
    const lines = '{\r\n  "model": "x"\r\n}\r\n'
    home.write(home.claude, lines)
    await home.remora(['hooks', 'install', 'claude'])
    const { model: _, ...rest } = JSON.parse(home.read(home.claude)) as Record<string, unknown>
    home.write(home.claude, JSON.stringify(rest))
    await home.remora(['hooks', 'install', 'claude'])
    expect((await home.remora(['hooks', 'uninstall', 'claude'])).out).toBe(
      '✓ Claude Code ~/.claude/settings.json: Remora hooks removed; other changes are kept\n',
    )
    await home.remora(['hooks', 'install', 'gemini'])
    await home.remora(['pave', '--hook', '--agent', 'gemini'])
    const { out } = await home.remora(['hooks', 'uninstall', 'gemini'])
    expect(out).toContain('the pave hook is kept')
    expect(home.read(home.gemini)).toContain('remora-pave')
  })

  it('breaks lines between words in a narrow terminal', async () => {
    using home = new HookHome()
    await home.remora(['hooks', 'install', 'gemini', 'codex'])
    const wide = await home.remora(['hooks', 'status'])
    const { out } = await home.remora(['hooks', 'status'], { columns: 60 })
    const lines = out.trimEnd().split('\n')
    const whole = lines.filter((line) => line.length > 60 && line.trim().includes(' '))
    expect(whole).toEqual([])
    expect(lines.some((line) => line.startsWith('  AfterAgent, '))).toBe(true)
    expect(out.split(/\s+/)).toEqual(wide.out.split(/\s+/))
  })

  it('installs in the project settings', async () => {
    using home = new HookHome()
    const cwd = join(home.path, 'work')
    home.write(join(cwd, 'a'), '')
    await home.remora(['hooks', 'install', 'claude', '--project'], { cwd })
    expect(readdirSync(join(cwd, '.claude'))).toEqual(['settings.json'])
    expect(existsSync(join(home.path, '.claude'))).toBe(false)
    // From anywhere: what was installed is remembered.
    expect((await home.remora(['hooks', 'uninstall', 'claude'])).out).toContain(
      '~/work/.claude/settings.json',
    )
    expect(existsSync(join(cwd, '.claude'))).toBe(false)
  })

  it('reports why the CLI does not run the hooks, also in doctor', async () => {
    using home = new HookHome()
    home.write(
      home.gemini,
      '{"hooksConfig": {"disabled": ["remora"]}, "hooks": {"AfterTool": [{"hooks": [{"type": "command", "command": "dp ingest"}]}]}}',
    )
    const { out, code } = await home.remora(['hooks', 'install', 'gemini'])
    expect(code).toBe(0)
    expect(out).toContain('! Gemini CLI 7 events, installed')
    expect(out).toContain('→ Start gemini and enter: /hooks enable remora')
    expect((await home.remora(['hooks', 'status', 'gemini'])).out).toContain('1 other hook: dp ingest')
    rmSync(join(home.state, 'hooks/remora-hook'))
    const doctor = await home.remora(['doctor', 'gemini'])
    expect(doctor.out).toContain('hooksConfig.disabled names remora')
    expect(doctor.out).toContain('The hook that the agents start is missing')
    expect(doctor.out).toContain('→ Run: remora hooks install')
  })

  it('continues with other agents after a failure', async () => {
    using home = new HookHome()
    home.write(home.gemini, '{"a": ')
    const { out, code } = await home.remora(['hooks', 'install'])
    expect(code).toBe(1)
    expect(out).toContain(`✗ Gemini CLI\n    ${home.gemini}: It is not JSON: line 1: a value is missing`)
    expect(out).toContain('✓ Claude Code')
    const alone = await home.remora(['hooks', 'install', 'gemini'])
    expect(alone).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('It is not JSON') as string,
    })
    const status = await home.remora(['hooks', 'status', 'gemini'])
    expect(status.out).toContain('! Gemini CLI settings cannot be read')
    expect(status.out).not.toContain('To install them')
  })

  it.each([
    [['hooks'], 'needs <action>\n  One of: install, uninstall, status'],
    [['hooks', 'instal'], 'Unknown action "instal" for remora hooks'],
    [['hooks', 'install', 'gemni'], 'Did you mean gemini?'],
    [['hooks', 'install', '--events', 'AfterTool'], '--events needs exactly one agent'],
    [
      ['hooks', 'install', 'gemini', '--events', 'PostToolUse'],
      'Unknown hook event "PostToolUse" for Gemini CLI',
    ],
    [['hooks', 'install', 'gemini', '--events', 'AfterTool,aftermodel'], 'Did you mean AfterModel?'],
    [['hooks', 'install', 'gemini', '--events', 'zzz'], 'One or more of: SessionStart, '],
    [['hooks', 'status', '--events', 'x'], '--events does not apply to remora hooks status'],
    [['hooks', 'install', '--settings', 'x'], '--settings needs exactly one agent'],
    [['hooks', 'install', 'gemini', '--settings', 'x', '--project'], 'cannot be combined'],
  ])('refuses %j', async (words, message) => {
    using home = new HookHome()
    const { code, err } = await home.remora(words)
    expect(code).toBe(2)
    expect(err).toContain(message)
    expect(existsSync(home.state)).toBe(false)
  })

  it('needs an agent', async () => {
    using home = new TestHome()
    const { code, err } = await home.remora(['hooks', 'install'])
    expect(code).toBe(3)
    const ids = agents().flatMap(({ id, hooks }) => (hooks ? [id] : []))
    expect(err).toContain(`remora hooks install ${ids.join('|')}`)
  })
})

describe('remora init', () => {
  it.each([
    ['gemini-cli', 'gemini'],
    ['claude-code', 'claude'],
    ['kiro-cli', 'kiro'],
    ['codex', 'codex'],
    ['opencode', 'opencode'],
  ])('--source %s installs in %s', async (source, agent) => {
    using home = new TestHome()
    const { code, json } = await home.remora(['init', '--source', source, '--track-all', '--json'])
    expect(code).toBe(0)
    expect(json()).toMatchObject([{ agent, kind: 'record' }])
    const status = await home.remora(['hooks', 'status', agent, '--json'])
    expect(status.json()).toMatchObject({ agents: [{ agent, installed: true }] })
  })

  it('installs in a settings file', async () => {
    using home = new HookHome()
    await home.remora(['init', '--source', 'gemini', '--settings', 'a/b.json'])
    expect(home.read(join(home.path, 'a/b.json'))).toContain('remora-hook gemini')
    expect(home.read(home.gemini)).toBe(settings)
  })
})

it('remora init accepts the options of hooks install', async () => {
  using home = new HookHome()
  const words = ['init', '--source', 'claude', '--project', '--events', 'Stop', '--json']
  const cwd = join(home.path, 'work')
  home.write(join(cwd, 'a'), '')
  expect((await home.remora(words, { cwd })).json()).toMatchObject([
    { events: ['Stop'], files: [{ file: join(cwd, '.claude/settings.json'), changed: true }] },
  ])
})
