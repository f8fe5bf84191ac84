import { chmodSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installHooks, findAgent } from '@remora/sdk/hooks'
import { describe, expect, it } from 'vitest'
import type { Io } from '../io.ts'
import { TestHome } from '../sessions/home.test-data.ts'

const settings = '{\n  // mine\n  "model": "x"\n}\n'

/** A home in which Gemini CLI and Claude Code are installed, as far as one can see. */
class HookHome extends TestHome {
  readonly gemini = join(this.path, '.gemini/settings.json')
  readonly claude = join(this.path, '.claude/settings.json')

  constructor() {
    super()
    for (const name of ['gemini', 'claude']) {
      const program = join(this.path, 'bin', name)
      this.write(program, '#!/bin/sh\necho 99.0.0\n')
      chmodSync(program, 0o755)
    }
    this.write(this.gemini, settings)
    this.write(
      join(this.path, '.gemini/trustedFolders.json'),
      JSON.stringify({ [this.path]: 'TRUST_FOLDER' }),
    )
  }

  read(file: string): string {
    return readFileSync(file, 'utf8')
  }
}

/** All files and folders but ours. */
function filesIn(folder: string): Set<string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return new Set(names.filter((name) => !name.startsWith('.remora')))
}

/** A person at a terminal who types this. */
const person = (line: string): Partial<Io> => ({
  terminal: true,
  stdin: { terminal: true, read: async () => '', readLine: async () => line },
})

describe('remora hooks', () => {
  it('installs in every agent that is here, and undoes it', async () => {
    using home = new HookHome()
    const done = await home.remora(['hooks', 'install'])
    expect(done).toMatchObject({ code: 0, err: '' })
    expect(done.out).toContain('In every agent that is installed here:')
    expect(done.out).toContain('✓ Gemini CLI 7 events, installed  ~/.gemini/settings.json')
    expect(done.out).toContain('✓ Claude Code 14 events, installed  ~/.claude/settings.json')
    expect(existsSync(join(home.path, '.codex'))).toBe(false)
    expect((await home.remora(['hooks', 'install', 'gemini'])).out).toBe(
      '✓ Gemini CLI 7 events, as before  ~/.gemini/settings.json\n',
    )

    const { out } = await home.remora(['hooks', 'status'])
    expect(out).toContain('✓ Gemini CLI tells of SessionStart, SessionEnd, BeforeAgent')
    expect(out).toContain('- Kiro CLI has no hooks of Remora')

    const undone = await home.remora(['hooks', 'uninstall'])
    expect(undone.code).toBe(0)
    expect(undone.out).toContain('~/.gemini/settings.json: as it was before, byte for byte')
    expect(undone.out).toContain('~/.claude/settings.json: deleted, since nothing else was in it')
    expect(home.read(home.gemini)).toBe(settings)
    expect(existsSync(join(home.path, '.claude'))).toBe(false)
    expect((await home.remora(['hooks', 'uninstall'])).out).toBe('No hook of Remora was installed.\n')
    expect((await home.remora(['hooks', 'status'])).out).toContain('To install them: remora hooks install')
  })

  it('tells it as JSON', async () => {
    using home = new HookHome()
    const words = ['gemini', '--json', '--settings', 'my.json']
    const file = join(home.path, 'my.json')
    const installed = await home.remora(['hooks', 'install', ...words, '--events', 'AfterTool, AfterModel'])
    expect(installed.json()).toEqual([
      {
        agent: 'gemini',
        kind: 'record',
        events: ['AfterTool', 'AfterModel'],
        files: [{ file, changed: true }],
        problems: [],
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
          problems: [],
        },
      ],
      spool: { path: spool, pending: 1, refused: 2 },
    })
    expect((await home.remora(['hooks', 'status'])).out).toContain(
      '1 payload waits in the spool; 2 payloads came',
    )
    expect((await home.remora(['hooks', 'uninstall', ...words])).json()).toEqual([
      { agent: 'gemini', files: [{ file, result: 'deleted' }] },
    ])
  })

  it('tells of an agent with several files in one line each', async () => {
    using home = new TestHome()
    const { out } = await home.remora(['hooks', 'install', 'codex', 'opencode'])
    expect(out).toContain('Codex 12 events, installed  ~/.codex/hooks.json, ~/.codex/config.toml\n')
    const status = (await home.remora(['hooks', 'status', 'opencode'])).out.split('\n')
    expect(status).toContainEqual(expect.stringMatching(/^✓ OpenCode tells of .*remora\.js, ~.*\.npmrc$/))
    expect(status.join('\n')).not.toContain('npm install')
  })

  it('goes into the project', async () => {
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

  it('says what keeps the CLI from running them, and so does the doctor', async () => {
    using home = new HookHome()
    home.write(
      home.gemini,
      '{"hooksConfig": {"disabled": ["remora"]}, "hooks": {"AfterTool": [{"hooks": [{"type": "command", "command": "dp ingest"}]}]}}',
    )
    const { out, code } = await home.remora(['hooks', 'install', 'gemini'])
    expect(code).toBe(0)
    expect(out).toContain('! Gemini CLI 7 events, installed')
    expect(out).toContain('→ Start gemini and enter: /hooks enable remora')
    expect((await home.remora(['hooks', 'status', 'gemini'])).out).toContain('1 hook of others: dp ingest')
    rmSync(join(home.state, 'hooks/remora-hook'))
    const doctor = await home.remora(['doctor', 'gemini'])
    expect(doctor.out).toContain('hooksConfig.disabled names remora')
    expect(doctor.out).toContain('The hook that the agents start is missing')
    expect(doctor.out).toContain('→ Run: remora hooks install')
  })

  it('goes on with the others where one cannot be done', async () => {
    using home = new HookHome()
    home.write(home.gemini, '{"a": ')
    const { out, code } = await home.remora(['hooks', 'install'])
    expect(code).toBe(2)
    expect(out).toContain(`✗ Gemini CLI\n    ${home.gemini}: It is not JSON`)
    expect(out).toContain('✓ Claude Code')
    const alone = await home.remora(['hooks', 'install', 'gemini'])
    expect(alone).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('It is not JSON') as string,
    })
    const status = await home.remora(['hooks', 'status', 'gemini'])
    expect(status.out).toContain('! Gemini CLI has no hooks of Remora')
  })

  it.each([
    [['hooks'], 'needs <action>'],
    [['hooks', 'instal'], 'cannot "instal"'],
    [['hooks', 'install', 'gemni'], 'Did you mean gemini?'],
    [['hooks', 'install', '--events', 'AfterTool'], 'Every agent has events of its own'],
    [['hooks', 'install', 'gemini', '--events', 'PostToolUse'], 'Gemini CLI has no hook event "PostToolUse"'],
    [['hooks', 'status', '--events', 'x'], 'takes no --events'],
    [['hooks', 'install', '--settings', 'x'], 'A settings file is that of one agent'],
    [['hooks', 'install', 'gemini', '--settings', 'x', '--project'], 'exclude each other'],
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
    expect(err).toContain('remora hooks install gemini|claude|codex|opencode|kiro')
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

  it('takes a settings file', async () => {
    using home = new HookHome()
    await home.remora(['init', '--source', 'gemini', '--settings', 'a/b.json'])
    expect(home.read(join(home.path, 'a/b.json'))).toContain('remora-hook gemini')
    expect(home.read(home.gemini)).toBe(settings)
  })
})

describe('remora uninstall', () => {
  const all = ['gemini', 'claude', 'codex', 'opencode', 'kiro']

  it('takes every trace out of every agent, and leaves the ledger', async () => {
    using home = new HookHome()
    const before = filesIn(home.path)
    await home.remora(['sessions'])
    await home.remora(['hooks', 'install', ...all])
    await installHooks(findAgent('claude')!, {
      kind: 'pave',
      command: ['node', join(home.state, 'hooks/remora-pave.mjs')],
      place: { env: {}, home: home.path, cwd: home.path },
      remoraHome: home.state,
    })
    home.write(join(home.state, 'hooks/remora-pave.mjs'), '')
    await home.remora(['alias', 'Search', 'Grep'])
    for (const file of ['GEMINI.md', 'notes/CLAUDE.md']) {
      if (file !== 'GEMINI.md') home.write(join(home.path, file), '# Mine\n')
      await home.remora(['pave', '--agents-md', '--append', join(home.path, file)])
    }
    const { out, code } = await home.remora(['uninstall', '--yes'])
    expect(code).toBe(0)
    for (const title of ['Gemini CLI', 'Claude Code', 'Codex', 'OpenCode', 'Kiro'])
      expect(out).toContain(title)
    expect(out).toContain('The ledger stays: ~/.remora/ledger.db')
    expect(filesIn(home.path)).toEqual(new Set([...before, 'notes', 'notes/CLAUDE.md']))
    expect(home.read(join(home.path, 'notes/CLAUDE.md'))).toBe('# Mine\n')
    expect(home.read(home.gemini)).toBe(settings)
    expect(existsSync(join(home.state, 'hooks'))).toBe(false)
    expect((await home.remora(['uninstall'])).out).toContain('Nothing of Remora is in any agent.')
  })

  it.each([
    ['y', 0],
    ['', 1],
  ])('asks a person, who says "%s"', async (line, code) => {
    using home = new HookHome()
    await home.remora(['hooks', 'install', 'gemini'])
    const asked = await home.remora(['uninstall', '--color', 'never'], person(line))
    expect(asked).toMatchObject({
      code,
      out: expect.stringContaining('Gemini CLI: ~/.gemini/settings.json') as string,
    })
    expect(home.read(home.gemini) === settings).toBe(code === 0)
  })

  it('changes nothing where nobody can be asked, and tells it as JSON', async () => {
    using home = new HookHome()
    await home.remora(['hooks', 'install', 'gemini'])
    const unasked = await home.remora(['uninstall'])
    expect(unasked).toMatchObject({
      code: 1,
      out: expect.stringContaining('remora uninstall --yes') as string,
    })
    const json = await home.remora(['uninstall', '--json'])
    expect(json.json()).toEqual({ done: false, files: [{ agent: 'gemini', file: home.gemini }], lessons: [] })
    expect(home.read(home.gemini)).toContain('remora-hook')
    const done = await home.remora(['uninstall', '--json', '--yes'])
    expect(done.json()).toMatchObject({ done: true, ledger: null })
    expect(done.code).toBe(0)
  })

  it('says what could not be undone, and ends with 1', async () => {
    using home = new HookHome()
    await home.remora(['hooks', 'install', 'gemini'])
    writeFileSync(home.gemini, '{')
    const { out, code } = await home.remora(['uninstall', '--yes'])
    expect(code).toBe(1)
    expect(out).toContain('✗ Gemini CLI ~/.gemini/settings.json: could not be changed')
    expect(existsSync(join(home.state, 'hooks/remora-hook'))).toBe(true)
  })
})
