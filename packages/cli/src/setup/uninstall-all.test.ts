import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agents } from '@remora/sdk'
import { findAgent, installHooks } from '@remora/sdk/hooks'
import { describe, expect, it } from 'vitest'
import { HookHome, settings } from '../agents/hooks/hooks.test-data.ts'
import type { Io } from '../command/io.ts'

/** All files and folders except Remora's. */
function filesIn(folder: string): Set<string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return new Set(names.filter((name) => !name.startsWith('.remora')))
}

/** A terminal at which the user types this. */
const person = (line: string): Partial<Io> => ({
  terminal: true,
  stdin: { terminal: true, read: async () => '', readLine: async () => line },
})

describe('remora uninstall', () => {
  const all = agents().flatMap(({ id, hooks }) => (hooks ? [id] : []))

  it('removes all changes from every agent, and keeps the ledger', async () => {
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
    expect(out).toContain('Ledger kept: ~/.remora/ledger.db')
    expect(filesIn(home.path)).toEqual(new Set([...before, 'notes', 'notes/CLAUDE.md']))
    expect(home.read(join(home.path, 'notes/CLAUDE.md'))).toBe('# Mine\n')
    expect(home.read(home.gemini)).toBe(settings)
    expect(existsSync(join(home.state, 'hooks'))).toBe(false)
    expect((await home.remora(['uninstall'])).out).toContain('No agent has Remora hooks or settings.')
  })

  it('restores the settings changed by guard byte for byte, also between hooks', async () => {
    using home = new HookHome()
    const claude = join(home.path, '.claude/settings.json')
    home.write(claude, '{\n\t"mine": 1\n}')
    await home.remora(['guard', '--yes', 'claude'])
    await home.remora(['hooks', 'install', 'gemini', 'claude'])
    await home.remora(['guard', '--yes', 'gemini'])
    expect(home.read(home.gemini)).toContain('sessionRetention')
    expect(home.read(claude)).toContain('cleanupPeriodDays')
    const before = await home.remora(['uninstall'])
    expect(before.out).toContain('Session guard: cleanupPeriodDays in ~/.claude/settings.json')
    const { out, code } = await home.remora(['uninstall', '--yes'])
    expect(code).toBe(0)
    expect(home.read(claude)).toBe('{\n\t"mine": 1\n}')
    expect(home.read(home.gemini)).toBe(settings)
    expect(out).toContain('~/.claude/settings.json: cleanupPeriodDays restored')
  })

  it('lists worktrees, and settings that an earlier version of guard has changed', async () => {
    using home = new HookHome()
    const repository = join(home.path, 'app')
    const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args], { stdio: 'pipe' })
    mkdirSync(repository)
    git('init', '-q')
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'first')
    const worktree = join(home.path, '.remora-worktrees/app-abc123/fix')
    git('worktree', 'add', '-q', '-b', 'remora/fix', worktree)
    writeFileSync(join(worktree, 'new.txt'), 'work')
    home.write(join(home.path, '.claude/settings.json'), '{ "cleanupPeriodDays": 36500 }\n')
    const { out, err, code } = await home.remora(['uninstall', '--yes'], {
      env: { PATH: process.env['PATH'], HOME: home.path },
    })
    expect([err, code]).toEqual(['', 0])
    expect(out).toContain(
      'Worktree ~/.remora-worktrees/app-abc123/fix on branch remora/fix: has uncommitted changes',
    )
    expect(out).toContain('~/.claude/settings.json has cleanupPeriodDays: 36500')
    expect(home.read(join(worktree, 'new.txt'))).toBe('work')
  })

  it.each([
    ['y', 0],
    ['', 1],
  ])('asks for confirmation and reads "%s"', async (line, code) => {
    using home = new HookHome()
    await home.remora(['hooks', 'install', 'gemini'])
    const asked = await home.remora(['uninstall', '--color', 'never'], person(line))
    expect(asked).toMatchObject({
      code,
      out: expect.stringContaining('Gemini CLI: ~/.gemini/settings.json') as string,
    })
    expect(home.read(home.gemini) === settings).toBe(code === 0)
  })

  it('changes nothing without a terminal, and prints the plan as JSON', async () => {
    using home = new HookHome()
    await home.remora(['hooks', 'install', 'gemini'])
    const unasked = await home.remora(['uninstall'])
    expect(unasked).toMatchObject({
      code: 1,
      out: expect.stringContaining('remora uninstall --yes') as string,
    })
    const json = await home.remora(['uninstall', '--json'])
    expect(json.json()).toEqual({
      done: false,
      files: [{ agent: 'gemini', file: home.gemini }],
      lessons: [],
      settings: [],
      left: { server: null, sessions: [], worktrees: [], settings: [], ledger: null },
      hint: 'Nothing changed. To restore them: remora uninstall --yes --json',
    })
    expect(json.code).toBe(1)
    expect(home.read(home.gemini)).toContain('remora-hook')
    const done = await home.remora(['uninstall', '--json', '--yes'])
    expect(done.json()).toMatchObject({ done: true, ledger: null })
    expect(done.code).toBe(0)
  })

  it('reports failures and exits with 1', async () => {
    using home = new HookHome()
    await home.remora(['hooks', 'install', 'gemini'])
    writeFileSync(home.gemini, '{')
    const { out, code } = await home.remora(['uninstall', '--yes'])
    expect(code).toBe(1)
    expect(out).toContain('✗ Gemini CLI ~/.gemini/settings.json: could not be changed')
    expect(existsSync(join(home.state, 'hooks/remora-hook'))).toBe(true)
  })
})
