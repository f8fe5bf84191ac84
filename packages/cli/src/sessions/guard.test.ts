import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from '../args/parse.ts'
import type { Io } from '../command/io.ts'
import type { Verb } from '../command/verb.ts'
import { guard } from './verbs.ts'
import { restore } from './verbs.ts'

let home = ''
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'remora-cli-guard-')))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function put(name: string, text: string): string {
  const path = join(home, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

async function remora(verb: Verb, words: string[], more: Partial<Io> = {}) {
  let out = ''
  const code = await verb.run(parse(verb, words), {
    env: { PATH: join(home, 'bin'), HOME: home },
    cwd: home,
    home,
    platform: 'linux',
    terminal: false,
    out: (text) => void (out += text),
    err: () => {},
    ...more,
  })
  return { code, out }
}

const settings = '.gemini/settings.json'
const retention = () =>
  (JSON.parse(readFileSync(join(home, settings), 'utf8')) as { general?: object }).general

/** A terminal at which the user types this. */
const person = (line: string): Partial<Io> => ({
  terminal: true,
  stdin: { terminal: true, read: async () => '', readLine: async () => line },
})

describe('remora guard', () => {
  it('prints the planned changes, and changes nothing without a terminal', async () => {
    const file = put(settings, '{}')
    const { code, out } = await remora(guard, [])
    expect(code).toBe(1)
    expect(out).toContain('every resumed session')
    expect(out).toContain(`${file}: general.sessionRetention.enabled: false`)
    expect(out).toContain('remora agents guard --yes')
    expect(readFileSync(file, 'utf8')).toBe('{}')
  })

  it.each([
    ['y', 0],
    ['YES', 0],
    ['', 1],
    ['no', 1],
  ])('asks for confirmation and reads "%s"', async (line, expected) => {
    put(settings, '{}')
    const { code, out } = await remora(guard, [], person(line))
    expect(out).toContain('[y/N]')
    expect(code).toBe(expected)
    expect(retention()).toEqual(expected === 0 ? { sessionRetention: { enabled: false } } : undefined)
  })

  it('applies the changes with --yes', async () => {
    put(settings, '{}')
    expect((await remora(guard, ['--yes'])).code).toBe(0)
    expect(retention()).toEqual({ sessionRetention: { enabled: false } })
    const again = await remora(guard, ['gemini'])
    expect(again).toMatchObject({
      code: 0,
      out: expect.stringContaining('Automatic deletion is off') as string,
    })
  })

  it('prints JSON', async () => {
    const file = put(settings, '{}')
    const asked = await remora(guard, ['--json'], person('y'))
    expect(JSON.parse(asked.out)).toEqual([
      {
        agent: 'gemini',
        guarded: false,
        file,
        change: 'general.sessionRetention.enabled: false',
        problem: expect.objectContaining({ code: 'session_retention' }) as object,
      },
      // Claude Code was never used in this home.
      { agent: 'claude', guarded: true },
    ])
    expect(asked.code).toBe(1)
    const all = [
      { agent: 'gemini', guarded: true },
      { agent: 'claude', guarded: true },
    ]
    expect(JSON.parse((await remora(guard, ['--json', '--yes'])).out)).toMatchObject(all)
    expect(JSON.parse((await remora(guard, ['--json'])).out)).toEqual(all)
  })

  it('turns off the monthly deletion of Claude Code', async () => {
    const file = put('.claude/settings.json', '{\n  // mine\n  "model": "opus"\n}\n')
    const asked = await remora(guard, ['claude'])
    expect(asked).toMatchObject({ code: 1, out: expect.stringContaining('not used for 30 days') as string })
    expect((await remora(guard, ['claude', '--yes'])).code).toBe(0)
    const text = readFileSync(file, 'utf8')
    expect(text).toContain('// mine')
    expect(text).toContain('"cleanupPeriodDays": 36500')
    expect((await remora(guard, ['claude'])).code).toBe(0)
  })

  it('refuses unreadable settings, and skips agents that delete nothing', async () => {
    put(settings, '{"general": ')
    await expect(remora(guard, ['--yes'])).rejects.toMatchObject({ code: 'config' })
    expect(await remora(guard, ['codex'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('Codex has no automatic session deletion') as string,
    })
  })
})

describe('remora restore', () => {
  const id = '247a8d8a-4b48-46e2-b7fd-0b932556739a'
  const began = '2026-01-01T00:00:00.000Z'
  const line = (record: object) => `${JSON.stringify(record)}\n`
  const header = line({ sessionId: id, projectHash: 'p', startTime: began, lastUpdated: began, kind: 'main' })
  const talk = header + line({ id: 'u', timestamp: began, type: 'user', content: [{ text: 'One' }] })
  const file = (ending = 'jsonl') =>
    join(home, `.gemini/tmp/work/chats/session-2026-01-01T00-00-247a8d8a.${ending}`)

  beforeEach(() => {
    put(settings, '{"general":{"sessionRetention":{"enabled":false}}}')
    put('.gemini/tmp/work/.project_root', '/home/me/my work')
    put(`.gemini/tmp/work/chats/session-2026-01-01T00-00-247a8d8a.jsonl`, talk)
  })

  it('reports an intact session and how to resume it', async () => {
    const { code, out } = await remora(restore, ['247a'])
    expect(code).toBe(0)
    expect(out).toContain(`Nothing to restore: Gemini CLI still has it in ${file()}`)
    expect(out).toContain(`cd '/home/me/my work' && gemini --resume ${id}`)
    await expect(remora(restore, ['latest'])).rejects.toThrow('needs a session id')
    await expect(remora(restore, ['none'])).rejects.toMatchObject({ code: 'not_found' })
  })

  it('restores a deleted session', async () => {
    await remora(restore, ['247a'])
    rmSync(file())
    const { out } = await remora(restore, ['247a', '--json'])
    expect(JSON.parse(out)).toEqual({
      agent: 'gemini',
      session: id,
      files: [file()],
      setAside: [],
      cwd: '/home/me/my work',
      command: `cd '/home/me/my work' && gemini --resume ${id}`,
    })
    expect(readFileSync(file(), 'utf8')).toBe(talk)
  })

  it('repairs a damaged session for the installed version', async () => {
    writeFileSync(file(), talk + header + line({ $set: { messages: [] } }))
    put('npm/package.json', '{"name":"@google/gemini-cli","version":"0.34.0","bin":{"gemini":"gemini.js"}}')
    chmodSync(put('npm/gemini.js', '#!/usr/bin/env node\n'), 0o755)
    const env = { PATH: join(home, 'bin'), HOME: home, GEMINI_CLI_PATH: join(home, 'npm/gemini.js') }
    const { out } = await remora(restore, ['247a'], { env })
    expect(out).toContain(`wrote ${file('json')}`)
    expect(out).toContain(`kept the damaged file as ${file()}.damaged`)
    expect(JSON.parse(readFileSync(file('json'), 'utf8'))).toMatchObject({
      sessionId: id,
      messages: [{ id: 'u' }],
    })
  })

  it('takes the folder as an option', async () => {
    await remora(restore, ['247a'])
    rmSync(file())
    const { out } = await remora(restore, ['247a', '--cwd', join(home, 'elsewhere'), '--json'])
    expect(JSON.parse(out)).toMatchObject({ cwd: join(home, 'elsewhere') })
  })
})
