import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { setJsonc } from '../../files/jsonc-edit.ts'
import { HookHome, othersSettings } from './install.test-data.ts'

const texts: readonly (readonly [string, string])[] = [
  ['what a person has written', othersSettings],
  ['CRLF', othersSettings.replaceAll('\n', '\r\n')],
  ['tabs', '{\n\t"a": 1,\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}\n'],
  ['a trailing comma', '{\n  "a": 1,\n}'],
  ['a byte order mark', '\uFEFF{"a":1}\r\n'],
  ['an empty object with space in it', '{\n\n}\n'],
  ['an empty file', ''],
  ['only a comment', '// nothing yet'],
  ['one line', '{"hooks":{"AfterTool":[ ]},"z":null}'],
]

describe('the bytes', () => {
  it.each(texts)('of %s are restored', async (_, text) => {
    using home = new HookHome()
    home.write('.gemini/settings.json', text)
    chmodSync(home.settings, 0o640)
    await home.install()
    expect(home.read()).not.toBe(text)
    expect((await home.uninstall()).files).toEqual([{ file: home.settings, result: 'restored' }])
    expect(readFileSync(home.settings)).toEqual(Buffer.from(text))
    expect(statSync(home.settings).mode & 0o777).toBe(0o640)
    expect(readdirSync(home.remoraHome)).toEqual(['spool'])
  })

  it('of new files are removed, with the folders created for them', async () => {
    using home = new HookHome()
    await home.install()
    expect((await home.uninstall()).files).toEqual([{ file: home.settings, result: 'deleted' }])
    expect(home.has('.gemini')).toBe(false)
    expect((await home.uninstall()).files).toEqual([])
  })

  it('behind a link are changed in place', async () => {
    using home = new HookHome()
    const real = home.write('dotfiles/gemini.json', othersSettings)
    mkdirSync(join(home.path, '.gemini'))
    symlinkSync(real, home.settings)
    await home.install()
    expect(lstatSync(home.settings).isSymbolicLink()).toBe(true)
    expect(home.read(real)).toContain('remora-hook')
    await home.uninstall()
    expect(lstatSync(home.settings).isSymbolicLink()).toBe(true)
    expect(home.read(real)).toBe(othersSettings)
  })

  it('are restored after entries were updated and other events selected', async () => {
    using home = new HookHome()
    home.write('.gemini/settings.json', othersSettings)
    await home.install({ events: ['AfterTool'] })
    expect((await home.status()).files[0]!.events).toEqual(['AfterTool'])
    await home.install({ events: ['AfterModel', 'PreCompress'] })
    expect((await home.status()).files[0]!.events).toEqual(['AfterModel', 'PreCompress'])
    await home.uninstall()
    expect(home.read()).toBe(othersSettings)
  })
})

describe('a file that others have changed since', () => {
  it('loses only our entries', async () => {
    using home = new HookHome()
    home.write('.gemini/settings.json', othersSettings)
    await home.install()
    const changed = (text: string) => setJsonc(text, ['ui', 'theme'], 'Dark')
    writeFileSync(home.settings, changed(home.read()))
    expect((await home.uninstall()).files).toEqual([{ file: home.settings, result: 'cleaned' }])
    expect(home.read()).toBe(changed(othersSettings))
  })

  it('keeps lists that were empty and loses those that were missing', async () => {
    using home = new HookHome()
    home.write('.gemini/settings.json', '{ "hooks": { "AfterTool": [] }, "a": 1 }')
    await home.install()
    writeFileSync(home.settings, home.read().replace('"a": 1', '"a": 2'))
    await home.uninstall()
    expect(home.read()).toBe('{ "hooks": { "AfterTool": [] }, "a": 2 }')
  })

  it('is removed only if it was ours and is empty', async () => {
    using home = new HookHome()
    await home.install()
    // As a CLI does that writes its settings anew.
    writeFileSync(home.settings, JSON.stringify(JSON.parse(home.read())))
    expect((await home.uninstall()).files).toEqual([{ file: home.settings, result: 'deleted' }])
    expect(home.has('.gemini')).toBe(false)
    await home.install()
    writeFileSync(home.settings, setJsonc(home.read(), ['theme'], 'Dark'))
    expect((await home.uninstall()).files).toEqual([{ file: home.settings, result: 'cleaned' }])
    expect(JSON.parse(home.read())).toEqual({ theme: 'Dark' })
  })

  it('gets its current bytes back after a second install', async () => {
    using home = new HookHome()
    home.write('.gemini/settings.json', othersSettings)
    await home.install()
    const changed = (text: string) => setJsonc(text, ['ui', 'theme'], 'Dark')
    writeFileSync(home.settings, changed(home.read()))
    await home.install()
    expect((await home.install()).files[0]!.changed).toBe(false)
    expect((await home.uninstall()).files).toEqual([{ file: home.settings, result: 'cleaned' }])
    expect(home.read()).toBe(changed(othersSettings))
  })

  it('is not reported as restored if it had an older entry of ours or was rewritten', async () => {
    using home = new HookHome()
    const old = { type: 'command', command: 'remora ingest --source gemini' }
    home.write('.gemini/settings.json', JSON.stringify({ hooks: { AfterTool: [{ hooks: [old] }] } }))
    await home.install()
    expect((await home.uninstall()).files).toEqual([{ file: home.settings, result: 'cleaned' }])
    home.write('.gemini/settings.json', othersSettings)
    await home.install()
    const written = home.read()
    writeFileSync(home.settings, '{"hooks": {}}')
    await home.install()
    expect((await home.uninstall()).files).toEqual([{ file: home.settings, result: 'cleaned' }])
    // Whoever comes back to the same bytes by another way has them back.
    writeFileSync(home.settings, othersSettings)
    await home.install()
    writeFileSync(home.settings, '{}')
    await home.install()
    writeFileSync(home.settings, written)
    expect((await home.uninstall()).files).toEqual([{ file: home.settings, result: 'restored' }])
    expect(home.read()).toBe(othersSettings)
  })

  it('loses an entry of ours that was moved to the group of another tool', async () => {
    using home = new HookHome()
    const group = (more: object[]) =>
      JSON.stringify({ hooks: { AfterTool: [{ hooks: [{ type: 'command', command: 'dp x' }, ...more] }] } })
    home.write(
      '.gemini/settings.json',
      group([{ type: 'command', command: 'remora ingest --source gemini' }]),
    )
    await home.uninstall()
    expect(home.read()).toBe(group([]))
  })

  it('is reported if it is missing, and kept for later if it is malformed', async () => {
    using home = new HookHome()
    await home.install()
    rmSync(home.settings)
    expect((await home.uninstall()).files).toEqual([{ file: home.settings, result: 'gone' }])
    home.write('.gemini/settings.json', '{"a": 1}')
    await home.install()
    const text = home.read()
    writeFileSync(home.settings, text.slice(0, -3))
    expect((await home.uninstall()).files).toMatchObject([
      { file: home.settings, result: 'failed', error: { code: 'config' } },
    ])
    // The entries are still there, so their program must be.
    expect(home.has('.remora/hooks/remora-hook')).toBe(true)
    writeFileSync(home.settings, text)
    await home.uninstall()
    expect(home.read()).toBe('{"a": 1}')
  })
})

describe('the hook that corrects calls', () => {
  const pave = (home: HookHome) => ({
    kind: 'pave' as const,
    command: ['node', join(home.remoraHome, 'hooks/remora-pave.mjs'), 'gemini'],
  })

  it('is independent of the recording hook', async () => {
    using home = new HookHome()
    home.write('.gemini/settings.json', othersSettings)
    await home.install()
    home.write('.remora/hooks/remora-pave.mjs', '')
    expect(await home.install(pave(home))).toMatchObject({ events: ['BeforeTool'] })
    expect((await home.status()).files).toMatchObject([{ state: 'current', paved: ['BeforeTool'] }])
    const both = home.read()
    await home.install()
    expect(home.read()).toBe(both)
    expect((await home.uninstall()).files).toEqual([
      { file: home.settings, result: 'cleaned', left: ['pave'] },
    ])
    expect(await home.status()).toMatchObject({ installed: false, files: [{ paved: ['BeforeTool'] }] })
    expect(home.has('.remora/hooks/remora-hook')).toBe(false)
    expect(home.has('.remora/hooks/remora-pave.mjs')).toBe(true)
    expect((await home.uninstall({ kind: 'pave' })).files).toEqual([
      { file: home.settings, result: 'restored' },
    ])
    expect(home.read()).toBe(othersSettings)
    expect(home.has('.remora/hooks')).toBe(false)
  })

  it('is removed together with the other hook, but stays in a changed file', async () => {
    using home = new HookHome()
    home.write('.gemini/settings.json', othersSettings)
    await home.install(pave(home))
    writeFileSync(home.settings, setJsonc(home.read(), ['x'], 1))
    await home.install()
    expect((await home.status()).files).toMatchObject([{ state: 'current', paved: ['BeforeTool'] }])
    await home.uninstall({ kind: 'all' })
    expect(home.read()).toBe(setJsonc(othersSettings, ['x'], 1))
  })

  it('is not installed in a file that only has turn notifications', async () => {
    using home = new HookHome('codex')
    const [hooks, config] = ['hooks.json', 'config.toml'].map((name) => join(home.path, '.codex', name))
    expect((await home.install()).files.map(({ file }) => file)).toEqual([hooks, config])
    expect((await home.install(pave(home))).files).toEqual([{ file: hooks, changed: true }])
    expect((await home.uninstall({ kind: 'pave' })).files).toEqual([
      { file: hooks, result: 'cleaned', left: ['record'] },
    ])
    expect(home.read(config)).toContain('notify')
    expect((await home.uninstall()).files.map(({ result }) => result)).toEqual(['deleted', 'deleted'])
    home.write('.codex/config.toml', 'notify = ["beep"]\n')
    const { events, files } = await home.install()
    expect(files).toEqual([{ file: hooks, changed: true }])
    expect(events).toEqual(home.agent.hooks!.defaultEvents.filter((event) => event !== 'notify'))
  })

  it('needs a command, and a CLI with a hook before each tool call', async () => {
    using home = new HookHome()
    await expect(home.install({ kind: 'pave' })).rejects.toMatchObject({ code: 'usage' })
    using kiro = new HookHome('kiro')
    await expect(kiro.install(pave(kiro))).rejects.toMatchObject({ code: 'unsupported' })
  })
})
