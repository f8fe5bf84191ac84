import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Alias } from '@remora/insights'
import { describe, expect, it } from 'vitest'
import { shell, writeClaudeSession, writeFailures } from '../desires/transcripts.test-data.ts'
import { makeHome } from './pave.test-data.ts'

describe('lessons', () => {
  const day = 86_400_000
  const missing = 'Exit code 127\n/bin/bash: line 1: pip: command not found'

  it('are written to a memory file, and the rest stays', async () => {
    const { home } = makeHome()
    writeClaudeSession(home, {
      id: '1aaa3333-0000-4000-8000-000000000001',
      at: Date.now() - day,
      turns: [
        [shell('pip install --key sk-ant-api03-abcdefghijklmnopqrstuvwx x', missing)],
        [shell('pip show x', missing), shell('pip3 show x')],
      ],
    })
    const file = join(home.path, 'CLAUDE.md')
    writeFileSync(file, '# Mine\n')
    const words = ['pave', '--agents-md', '--append', file]
    await home.remora(['alias', 'Search', 'Grep'])
    expect(await home.remora(words)).toMatchObject({ code: 0, err: '' })
    const once = readFileSync(file, 'utf8')
    expect(once).toContain('# Mine\n\n<!-- remora')
    expect(once).toContain('- Call `Grep`, not `Search`.\n')
    expect(once).toContain(
      '- `pip show x` failed, because a command is not installed; `pip3 show x` worked.\n',
    )
    expect((await home.remora(words)).out).toMatch(/: unchanged/)
    expect(readFileSync(file, 'utf8')).toBe(once)
    expect(once).toContain((await home.remora(['pave', '--agents-md', '--agent', 'claude'])).out.trim())
    expect((await home.remora(['desires', 'effect', '--json'])).json()).toMatchObject([
      { kind: 'lessons', verdict: 'too early' },
      { kind: 'alias', verdict: 'too early' },
    ])
  })

  it('are removed from a file, which is then unchanged', async () => {
    const { home } = makeHome()
    await home.remora(['alias', 'Search', 'Grep'])
    const file = join(home.path, 'GEMINI.md')
    const other = join(home.path, 'AGENTS.md')
    writeFileSync(file, '# Mine, without an end')
    for (const each of [file, other]) await home.remora(['pave', '--agents-md', '--append', each])
    const words = ['pave', '--agents-md', '--append', file, '--uninstall']
    expect((await home.remora(words)).out).toBe(`✓ ${file}: lessons removed\n`)
    expect(readFileSync(file, 'utf8')).toBe('# Mine, without an end')
    expect((await home.remora(words)).out).toBe(`${file} has no Remora lessons.\n`)
    expect(existsSync(other)).toBe(true)
    expect((await home.remora(['pave', '--agents-md', '--uninstall', '--json'])).json()).toEqual({
      files: [other],
    })
    expect(existsSync(other)).toBe(false)
  })

  it('are refused for a binary, read-only or missing file', async () => {
    const { home } = makeHome()
    await home.remora(['alias', 'Search', 'Grep'])
    const [latin, locked, link] = ['LATIN.md', 'LOCKED.md', 'LINK.md'].map((name) => join(home.path, name))
    writeFileSync(latin!, Buffer.from([0x63, 0x61, 0x66, 0xe9]))
    writeFileSync(locked!, '# Mine\n')
    chmodSync(locked!, 0o444)
    symlinkSync(join(home.path, 'nowhere', 'x.md'), link!)
    for (const file of [latin!, locked!, link!])
      expect((await home.remora(['pave', '--agents-md', '--append', file])).code).not.toBe(0)
    expect([...readFileSync(latin!)]).toEqual([0x63, 0x61, 0x66, 0xe9])
    expect(readFileSync(locked!, 'utf8')).toBe('# Mine\n')
    expect(lstatSync(link!).isSymbolicLink()).toBe(true)
  })

  it('are empty without failures', async () => {
    const { home } = makeHome()
    mkdirSync(join(home.path, 'a'))
    expect(await home.remora(['pave', '--agents-md', '--append', 'a/GEMINI.md'])).toMatchObject({
      code: 0,
      err: expect.stringMatching(/No lessons yet/),
    })
    expect(existsSync(join(home.path, 'a/GEMINI.md'))).toBe(false)
    expect((await home.remora(['desires', 'effect'])).err).toMatch(/No fixes applied yet/)
  })

  it('ends every suggestion with a command', async () => {
    const { home } = makeHome()
    writeFailures(home, Date.now())
    const all = (await home.remora(['suggest', '--top', '50', '--json'])).json<
      { pattern: string; suggestions: { paste: string }[] }[]
    >()
    expect(all.length).toBeGreaterThan(6)
    for (const { suggestions } of all) expect(suggestions[0]?.paste).toMatch(/\S/)
    const text = (await home.remora(['suggest', '--tool', 'search_files'])).out
    expect(text).toMatch(
      /1\. search_files: unknown-tool.*\n.*grep_search:\n +remora alias search_files grep_search/,
    )
    expect((await home.remora(['suggest', '--error', 'unbound VARIABLE', '--json'])).json()).toMatchObject([
      { class: 'missing-env', suggestions: [{ kind: 'setting' }] },
    ])
    expect((await home.remora(['suggest', '--error', 'no such words'])).err).toMatch(/No error contains/)
  })

  it('shows whether a fix helped', async () => {
    const { home } = makeHome()
    const now = Date.now()
    for (let index = 0; index < 8; index++)
      writeClaudeSession(home, {
        id: `${index}aaa4444-0000-4000-8000-000000000001`,
        at: now - (8 - index) * day,
        turns: [[index < 4 ? shell('pip list', missing) : shell('pip list')]],
      })
    await home.remora(['alias', 'pip', 'pip3', '--replace'])
    const file = join(home.state, 'aliases.json')
    const [alias] = JSON.parse(readFileSync(file, 'utf8')) as [Alias]
    writeFileSync(file, JSON.stringify([{ ...alias, createdAt: new Date(now - 4.5 * day).toISOString() }]))
    expect((await home.remora(['desires', 'effect', '--json'])).json()).toMatchObject([
      { kind: 'alias', name: 'pip → pip3', before: { failures: 4 }, after: { failures: 0 }, verdict: 'gone' },
    ])
    expect((await home.remora(['desires', 'effect'])).out).toMatch(
      /pip → pip3 +alias .*4 in 4 +0 in 4 .* gone/,
    )
    expect((await home.remora(['desires', 'effect', '--since', '1d', '--json'])).json()).toEqual([])
  })
})
