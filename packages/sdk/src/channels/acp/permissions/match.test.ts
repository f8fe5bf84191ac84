import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ruleFor } from './match.ts'
import type { Question } from './question.ts'
import { questionWith } from './question.test-data.ts'
import type { PermissionRule } from './rules.ts'

let folder: string
let cwd: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remora-match-'))
  cwd = join(folder, 'work')
  await mkdir(join(cwd, 'src'), { recursive: true })
  await mkdir(join(cwd, 'secret'))
  await mkdir(join(folder, 'work-other'))
  await symlink(join(folder, 'work-other'), join(cwd, 'src/out'))
  await symlink('../secret', join(cwd, 'src/inner'))
  await symlink(join(folder, 'work-other/new'), join(cwd, 'src/dangling'))
  await symlink('src', join(cwd, 'alias'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const fits = async (rule: PermissionRule, fields: Partial<Question>) =>
  (await ruleFor([rule], questionWith({ cwd, ...fields }))) === rule

describe('a rule by tool and kind', () => {
  const call = { name: 'Edit', native: 'replace', input: {} }
  it.each([
    [{ tool: 'Edit' }, true],
    [{ tool: 'REPLACE' }, true],
    [{ tool: 'ed*' }, true],
    [{ tool: 'Edi' }, false],
    [{ tool: '*', kind: 'edit' }, true],
    [{ tool: 'Edit', kind: 'execute' }, false],
    [{}, true],
  ])('%j: %s', async (rule, expected) => {
    for (const decide of ['allow', 'auto', 'deny', 'ask'] as const)
      expect(await fits({ decide, ...rule }, { call, kind: 'edit' })).toBe(expected)
  })
})

describe('a rule by path', () => {
  it.each([
    [['src/a.ts'], true],
    [['./src/deep/../a.ts'], true],
    [['alias/a.ts'], true],
    [['src/a.ts', 'src/b.ts'], true],
    [['src/a.ts', 'other.ts'], false],
    [['src/../secret/a'], false],
    [['src/../../work-other/a'], false],
    [['src/out/a'], false],
    [['src/dangling'], false],
    [['src/inner/a'], false],
    [['src/inner/../src/a'], true],
    [[], false],
  ])('allows %j in src: %s', async (paths, expected) => {
    expect(await fits({ decide: 'allow', path: 'src/**' }, { paths })).toBe(expected)
    const absolute = paths.map((path) => `${cwd}/${path}`)
    expect(await fits({ decide: 'allow', path: 'src/**' }, { paths: absolute })).toBe(expected)
  })

  it('allows nothing outside by a relative glob, and outside paths by an absolute one', async () => {
    const outside = join(folder, 'work-other/a')
    for (const path of ['**', '**/*', '*', 'src/**'])
      for (const paths of [
        [outside],
        ['../work-other/a'],
        [`${cwd}-other/a`],
        ['src/out/a'],
        ['/etc/passwd'],
      ])
        expect(await fits({ decide: 'allow', path }, { paths }), path).toBe(false)
    expect(await fits({ decide: 'allow', path: '/etc/**' }, { paths: ['/etc/passwd'] })).toBe(true)
    expect(await fits({ decide: 'allow', path: '/etc/**' }, { paths: ['/etc/../usr/x'] })).toBe(false)
  })

  it.each([[['secret/a']], [['src/a', 'secret/a']], [['src/inner/a']], [['./src/../secret/a']], [[]]])(
    'refuses %j for secret',
    async (paths) => {
      for (const decide of ['deny', 'ask'] as const)
        expect(await fits({ decide, path: 'secret/**' }, { paths, kind: 'edit' })).toBe(true)
    },
  )

  it('refuses by the name of a link, by its target, and by ** everywhere', async () => {
    expect(await fits({ decide: 'deny', path: 'src/out/**' }, { paths: ['src/out/a'] })).toBe(true)
    expect(await fits({ decide: 'deny', path: '**/.env' }, { paths: ['/home/me/.env'] })).toBe(true)
    expect(await fits({ decide: 'deny', path: 'src/**' }, { paths: ['secret/a'] })).toBe(false)
    expect(await fits({ decide: 'deny', path: 'secret/**' }, { paths: [], kind: 'read' })).toBe(false)
  })

  it('never allows a path that ends outside of the folder', async () => {
    const part = fc.constantFrom(
      'src',
      'out',
      'inner',
      'alias',
      'secret',
      '..',
      '.',
      'a',
      'work',
      'work-other',
      'dangling',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 7 }), async (parts) => {
        if (!(await fits({ decide: 'allow', path: 'src/**' }, { paths: [parts.join('/')] }))) return
        // Resolved by hand, name by name, like the system does.
        let place = ['work']
        for (const name of parts) {
          if (name === '..') place = place.slice(0, -1)
          else if (name !== '.') place = ways[[...place, name].join('/')] ?? [...place, name]
        }
        expect(place.slice(0, 2)).toEqual(['work', 'src'])
      }),
      { numRuns: 400 },
    )
  })

  const ways: Record<string, string[]> = {
    'work/src/out': ['work-other'],
    'work/src/inner': ['work', 'secret'],
    'work/src/dangling': ['work-other', 'new'],
    'work/alias': ['work', 'src'],
  }
})

describe('a rule by command', () => {
  const call = { name: 'Bash', native: 'run_shell_command', input: {} }
  const runs = (command: string) => ({ call, kind: 'execute', command })

  it('allows one plain command, and refuses if any of several matches', async () => {
    expect(await fits({ decide: 'allow', command: 'npm *' }, runs('npm test'))).toBe(true)
    expect(await fits({ decide: 'allow', command: 'npm *' }, runs('npm test; rm -rf .'))).toBe(false)
    expect(await fits({ decide: 'auto', command: 'npm *' }, runs('npm test; rm -rf .'))).toBe(false)
    expect(await fits({ decide: 'deny', command: 'rm *' }, runs('npm test; rm -rf .'))).toBe(true)
    expect(await fits({ decide: 'ask', command: 'rm *' }, runs('npm test; rm -rf .'))).toBe(true)
    expect(await fits({ decide: 'deny', command: 'rm *' }, runs('npm test'))).toBe(false)
  })

  it('uses a RegExp unchanged, every time', async () => {
    const rule = { decide: 'allow', command: /^npm test(; echo done)?$/g } as const
    for (let round = 0; round < 3; round++) expect(await fits(rule, runs('npm test; echo done'))).toBe(true)
    expect(await fits(rule, runs('npm test; rm x'))).toBe(false)
  })

  it('allows no other tool with an input named command', async () => {
    const tool = { call: { name: 'mcp__x__y', native: 'y', input: {} }, kind: 'other', command: 'npm test' }
    expect(await fits({ decide: 'allow', command: 'npm *' }, tool)).toBe(false)
    expect(await fits({ decide: 'deny', command: 'npm *' }, tool)).toBe(true)
  })

  it('treats an unknown command as one that may have to be refused', async () => {
    expect(await fits({ decide: 'allow', command: '*' }, { call, kind: 'execute' })).toBe(false)
    expect(await fits({ decide: 'deny', command: 'rm *' }, { call, kind: 'execute' })).toBe(true)
    expect(await fits({ decide: 'deny', command: 'rm *' }, { kind: 'edit' })).toBe(false)
  })
})
