import {
  chmodSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { createHookScript } from './hook-script.ts'
import { HookHome, othersSettings } from './install.test-data.ts'

type Parsed = { hooks: Record<string, { hooks: { command: string; name?: string; timeout: number }[] }[]> }
const parsed = (text: string) => parse(text, [], { allowTrailingComma: true }) as Parsed
/** A time long ago, by which a write is seen. */
const longAgo = new Date('2020-01-01')

describe('the testing plan of the recorder', () => {
  it('9. Install: creates settings file', async () => {
    using home = new HookHome()
    const installed = await home.install()
    expect(installed).toEqual({
      agent: 'gemini',
      kind: 'record',
      events: home.agent.hooks!.defaultEvents,
      files: [{ file: home.settings, changed: true }],
    })
    const { hooks } = JSON.parse(home.read()) as Parsed
    expect(Object.keys(hooks)).toEqual(home.agent.hooks!.defaultEvents)
    expect(hooks['AfterTool']).toEqual([
      { hooks: [{ type: 'command', command: `${home.script} gemini`, name: 'remora', timeout: 5000 }] },
    ])
    expect(home.read(home.script)).toBe(createHookScript())
    expect(statSync(home.script).mode & 0o777).toBe(0o755)
    expect(readdirSync(join(home.remoraHome, 'spool'))).toHaveLength(64)
    expect(statSync(join(home.remoraHome, 'spool/63')).mode & 0o777).toBe(0o700)
    expect(statSync(home.settings).mode & 0o777).toBe(0o600)
  })

  it('10. Install: merges existing settings', async () => {
    using home = new HookHome()
    home.write('.gemini/settings.json', othersSettings)
    await home.install()
    const text = home.read()
    for (const line of othersSettings.split('\n').filter((each) => /\/\/|\/\*|dp|clawtap|future/.test(each)))
      expect(text).toContain(line.replace(/,$/, ''))
    const { hooks } = parsed(text)
    expect(hooks['AfterTool']!.map(({ hooks: [hook] }) => hook!.command)).toEqual([
      'dp ingest --source gemini-cli',
      `${home.script} gemini`,
    ])
    expect(hooks['BeforeAgent']).toHaveLength(2)
  })

  it('11. Install: idempotent', async () => {
    using home = new HookHome()
    home.write('.gemini/settings.json', othersSettings)
    await home.install()
    const text = home.read()
    const installed = join(home.remoraHome, 'hooks/installed')
    const [record] = readdirSync(installed)
    const files = [home.settings, home.script, join(installed, record!)]
    for (const file of files) utimesSync(file, longAgo, longAgo)
    expect((await home.install()).files).toEqual([{ file: home.settings, changed: false }])
    expect(home.read()).toBe(text)
    for (const file of files) expect(statSync(file).mtime).toEqual(longAgo)
  })

  it('12. IsInstalled: detects current command', async () => {
    using home = new HookHome()
    await home.install()
    const status = await home.status()
    expect(status).toMatchObject({ installed: true, problems: [] })
    expect(status.files).toMatchObject([
      { file: home.settings, state: 'current', events: home.agent.hooks!.defaultEvents },
    ])
  })

  it.each([
    'remora ingest --source gemini-cli',
    'remora record --source gemini',
    '/old/hooks/remora-hook gemini',
  ])('13. IsInstalled: detects legacy command %s', async (command) => {
    using home = new HookHome()
    const old = { hooks: { AfterTool: [{ matcher: '.*', hooks: [{ type: 'command', command }] }] } }
    home.write('.gemini/settings.json', JSON.stringify(old))
    expect(await home.status()).toMatchObject({
      installed: true,
      files: [{ state: 'outdated', events: ['AfterTool'] }],
      problems: [{ code: 'hooks_outdated' }],
    })
    await home.install()
    expect(home.read()).not.toContain(`"${command}"`)
    expect(await home.status()).toMatchObject({ files: [{ state: 'current' }], problems: [] })
  })

  it('14. IsInstalled: returns false when absent', async () => {
    using home = new HookHome()
    expect(await home.status()).toMatchObject({
      installed: false,
      files: [{ exists: false, state: 'absent' }],
    })
    home.write('.gemini/settings.json', othersSettings)
    const { files, ...status } = await home.status()
    expect(status).toEqual({ agent: 'gemini', installed: false, problems: [] })
    expect(files).toMatchObject([
      {
        state: 'absent',
        others: [
          { event: 'AfterTool', command: 'dp ingest --source gemini-cli' },
          { event: 'BeforeAgent', command: 'bash ~/.clawtap/bridge.sh' },
        ],
      },
    ])
  })
})

describe('writes nothing', () => {
  it.each<[string, string | Uint8Array]>([
    ['malformed', '{"a": '],
    ['no object', '[]'],
    ['no text', Buffer.from([0x7b, 0xff, 0x7d])],
    ['strange in its hooks', '{"hooks": []}'],
    ['strange in an event', '{"hooks": {"AfterTool": {}}}'],
  ])('to settings that are %s', async (_, content) => {
    using home = new HookHome()
    home.write('.gemini/settings.json', content)
    await expect(home.install()).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining(home.settings) as string,
    })
    expect(readFileSync(home.settings)).toEqual(Buffer.from(content))
    expect(home.has('.remora')).toBe(false)
    expect(readdirSync(join(home.path, '.gemini'))).toEqual(['settings.json'])
  })

  it('to settings that are read-only', async () => {
    using home = new HookHome()
    home.write('.gemini/settings.json', '{}')
    chmodSync(home.settings, 0o444)
    await expect(home.install()).rejects.toMatchObject({
      code: 'config',
      hint: expect.stringContaining('chmod') as string,
    })
    expect(home.read()).toBe('{}')
    expect(home.has('.remora')).toBe(false)
  })

  it('to any file if one of several cannot be changed', async () => {
    using home = new HookHome('kiro')
    const good = home.write('.kiro/agents/a.json', '{"name": "a"}')
    // It is there when the plan is made, and a link that leads nowhere cannot be written through.
    symlinkSync(join(home.path, 'none'), join(home.path, '.kiro/agents/b.json'))
    await expect(home.install()).rejects.toMatchObject({ code: 'config' })
    expect(home.read(good)).toBe('{"name": "a"}')
    expect((await home.uninstall()).files).toEqual([])
  })

  it.each([[['AfterTools']], [[]]])('for the events %j', async (events) => {
    using home = new HookHome()
    await expect(home.install({ events })).rejects.toMatchObject({
      code: 'usage',
      hint: expect.stringContaining('BeforeToolSelection') as string,
    })
    expect(home.has('.gemini')).toBe(false)
  })
})

describe('installing', () => {
  it('accepts every event of the CLI', async () => {
    using home = new HookHome()
    await home.install({ events: [...home.agent.hooks!.events] })
    expect((await home.status()).files[0]!.events).toEqual(home.agent.hooks!.events)
    expect(home.agent.hooks!.events).toHaveLength(11)
  })

  it.each(['it\'s "me" $HOME', 'a b'])('quotes the home %s for a shell', async (name) => {
    using home = new HookHome('claude', name)
    await home.install()
    const { hooks } = JSON.parse(home.read()) as Parsed
    const [entry] = hooks['PreToolUse']![0]!.hooks
    expect(entry!.timeout).toBe(5)
    const { execFileSync } = await import('node:child_process')
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${entry!.command}`], { encoding: 'utf8' })
    expect(words).toBe(`${home.script}\nclaude\n`)
    expect(await home.status()).toMatchObject({ files: [{ state: 'current' }] })
    await home.uninstall()
    expect(home.has('.claude')).toBe(false)
  })

  it('works for two processes at once', async () => {
    using home = new HookHome()
    home.write('.gemini/settings.json', othersSettings)
    await Promise.all([home.install(), home.install({ scope: 'project' }), home.install()])
    expect((await home.status()).files.map(({ state }) => state)).toEqual(['current', 'current'])
    await Promise.all([home.uninstall(), home.uninstall()])
    expect(home.read()).toBe(othersSettings)
    expect(home.has('work/.gemini')).toBe(false)
  })

  it('works for a project and for a named file, and can be undone', async () => {
    using home = new HookHome('claude')
    await home.install({ scope: 'project' })
    await home.install({ scope: { file: '../other/settings.json' } })
    const files = ['work/.claude/settings.json', 'other/settings.json'].map((each) => join(home.path, each))
    expect((await home.status()).files.map(({ file }) => file)).toEqual([home.settings, ...files])
    expect((await home.uninstall({ scope: 'project' })).files).toEqual([
      { file: files[0], result: 'deleted' },
    ])
    expect(home.has('.remora/hooks/remora-hook')).toBe(true)
    expect((await home.uninstall()).files).toEqual([{ file: files[1], result: 'deleted' }])
    expect(home.has('.remora/hooks')).toBe(false)
    expect(home.has('other')).toBe(false)
  })

  it.each([
    ['gemini', 'x.json', false],
    ['gemini', 'other/.gemini/settings.json', true],
    ['gemini', 'other/.gemini/x.json', false],
    ['claude', 'other/.claude/settings.local.json', true],
    ['kiro', 'other/.kiro/agents/x.json', true],
    ['opencode', '.config/opencode/plugin/x.js', true],
    ['opencode', 'x.js', false],
  ])('reports whether %s itself reads %s', async (agent, file, isRead) => {
    using home = new HookHome(agent)
    await home.install({ scope: { file: join(home.path, file) } })
    const unread = (await home.status()).problems.filter(({ code }) => code === 'hooks_unread')
    expect(unread.map(({ message }) => message.includes(file))).toEqual(isRead ? [] : [true])
  })

  it('reports a missing program of the correcting hook', async () => {
    using home = new HookHome()
    await home.install({ kind: 'pave', command: ['node', '/home/me/.remora/hooks/remora-pave.mjs'] })
    expect((await home.status()).problems).toMatchObject([
      { code: 'hooks_broken', hint: expect.stringContaining('remora pave --hook') as string },
    ])
  })

  it('reports a missing or old hook program and repairs it', async () => {
    using home = new HookHome()
    await home.install()
    writeFileSync(home.script, '#!/bin/sh\n')
    expect((await home.status()).problems).toMatchObject([{ code: 'hooks_broken' }])
    await home.install()
    rmSync(home.script)
    expect((await home.status()).problems).toMatchObject([{ code: 'hooks_broken' }])
    await home.install()
    expect(await home.status()).toMatchObject({ problems: [] })
  })
})

/** The script as version 0.1 wrote it into every home. */
const earlierScript = createHookScript(['kiro']).replace(/^# An agent that .*$/m, '# Kiro shows it all.')

describe('Kiro', () => {
  it('makes the hook program print nothing for it', async () => {
    using home = new HookHome('kiro')
    home.write('.remora/hooks/remora-hook', createHookScript())
    chmodSync(home.script, 0o755)
    await home.install()
    expect(home.read(home.script)).toBe(createHookScript(['kiro']))
    expect(await home.status()).toMatchObject({ problems: [] })
    writeFileSync(home.script, createHookScript())
    expect((await home.status()).problems).toMatchObject([{ code: 'hooks_broken' }])
  })

  it.each([
    ['current', earlierScript, earlierScript],
    ['outdated', earlierScript.replace('umask 077', 'umask 0'), createHookScript(['kiro'])],
  ])(
    'still gets no output when another agent is installed beside an earlier %s program',
    async (_, before, after) => {
      using home = new HookHome()
      home.write('.remora/hooks/remora-hook', before)
      chmodSync(home.script, 0o755)
      await home.install()
      expect(home.read(home.script)).toBe(after)
      expect(await home.status()).toMatchObject({ problems: [] })
    },
  )

  it('gets hooks in every existing agent', async () => {
    using home = new HookHome('kiro')
    const text =
      '{\n  "name": "a",\n  "hooks": {\n    "stop": [\n      { "command": "beep" }\n    ]\n  }\n}\n'
    const files = ['a', 'b'].map((name) => home.write(`.kiro/agents/${name}.json`, text))
    await home.install()
    for (const file of files)
      expect(JSON.parse(home.read(file))).toMatchObject({
        hooks: {
          stop: [{ command: 'beep' }, { command: `${home.script} kiro`, timeout_ms: 5000 }],
          agentSpawn: [{ command: `${home.script} kiro` }],
        },
      })
    expect((await home.status()).files.map(({ state }) => state)).toEqual(['current', 'current'])
    writeFileSync(files[1]!, home.read(files[1]).replace('"name": "a"', '"name": "b"'))
    expect((await home.uninstall()).files.map(({ result }) => result)).toEqual(['restored', 'cleaned'])
    expect(home.read(files[0])).toBe(text)
    expect(home.read(files[1])).toBe(text.replace('"a"', '"b"'))
  })

  it('gets an agent if it has none, which uninstalling removes', async () => {
    using home = new HookHome('kiro')
    await home.install()
    const file = join(home.path, '.kiro/agents/remora.json')
    expect(JSON.parse(home.read(file))).toMatchObject({ name: 'remora', tools: ['*'] })
    writeFileSync(file, JSON.stringify(JSON.parse(home.read(file))))
    expect((await home.uninstall()).files).toEqual([{ file, result: 'deleted' }])
    expect(home.has('.kiro')).toBe(false)
  })
})
