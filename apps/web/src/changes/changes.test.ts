import { describe, expect, it } from 'vitest'
import { formatDiff } from './format-diff.ts'
import { toFileLink } from '../navigation/file-link.ts'
import { Lines, pageLines } from '../files/lines.ts'
import { toCrumbs, joinPath, splitPath } from '../files/paths.ts'

const session = { agent: 'gemini', session: 'a/b' }

describe('toFileLink', () => {
  it('keeps any path and a valid line', () => {
    const link = toFileLink(session, '/srv/a b/ü&?#%.ts', 12)
    expect(link.startsWith('/session/gemini/a%2Fb/files?')).toBe(true)
    const query = new URL(link, 'http://x').searchParams
    expect(query.get('path')).toBe('/srv/a b/ü&?#%.ts')
    expect(query.get('line')).toBe('12')
    expect(toFileLink(session, 'a.ts', Number.NaN)).not.toContain('line')
    expect(toFileLink(session)).toBe('/session/gemini/a%2Fb/files')
  })
})

describe('paths', () => {
  it('are joined to the folder unless they are absolute', () => {
    expect(joinPath('/srv/app/', './src/a.ts')).toBe('/srv/app/src/a.ts')
    expect(joinPath('/srv/app', '/etc/hosts')).toBe('/etc/hosts')
    expect(joinPath('/srv/app', '.env.ts')).toBe('/srv/app/.env.ts')
  })

  it("start at the session's folder", () => {
    expect(toCrumbs('/srv/app', '/srv/app/src/a.ts')).toEqual([
      { name: 'app', path: '/srv/app' },
      { name: 'src', path: '/srv/app/src' },
      { name: 'a.ts', path: '/srv/app/src/a.ts' },
    ])
    expect(toCrumbs('/srv/app', '/srv/application').map(({ name }) => name)).toEqual(['srv', 'application'])
    expect(toCrumbs('', '/srv').map(({ path }) => path)).toEqual(['/srv'])
  })

  it('are split into folder and name', () => {
    expect(splitPath('a/b/c.ts')).toEqual(['a/b', 'c.ts'])
    expect(splitPath('c.ts')).toEqual(['', 'c.ts'])
  })
})

describe('formatDiff', () => {
  it('has the headers that tools expect', () => {
    const hunks = '@@ -1 +1 @@\n-a\n+b'
    expect(formatDiff({ path: 'b.ts', from: 'a.ts', status: 'renamed', hunks })).toBe(
      `diff --git a/a.ts b/b.ts\nrename from a.ts\nrename to b.ts\n--- a/a.ts\n+++ b/b.ts\n${hunks}`,
    )
    expect(formatDiff({ path: 'n', status: 'untracked', hunks })).toContain('--- /dev/null\n+++ b/n\n')
    expect(formatDiff({ path: 'n', status: 'deleted', hunks })).toContain('--- a/n\n+++ /dev/null\n')
  })

  it('is undefined without text, or with secrets', () => {
    expect(formatDiff({ path: 'a.png', status: 'modified', binary: true })).toBeUndefined()
    expect(formatDiff({ path: '.env', status: 'modified', secret: true, hunks: '+KEY' })).toBeUndefined()
  })
})

describe('Lines', () => {
  it('requests each page once', () => {
    const lines = new Lines(5_000)
    expect(lines.wanted(1_250, 100)).toBe(pageLines + 1)
    expect(lines.wanted(1_300, 100)).toBeUndefined()
    expect(lines.range(1_001, 2)).toBeUndefined()
    lines.put(1_001, Array.from({ length: 1_000 }, (_, index) => `line ${1_001 + index}`).join('\n'))
    expect(lines.range(1_250, 2)).toEqual(['line 1250', 'line 1251'])
    expect(lines.wanted(1_250, 100)).toBeUndefined()
    expect(lines.wanted(1_990, 20)).toBe(2_001)
  })

  it('continues after a truncated response', () => {
    const lines = new Lines(100)
    expect(lines.wanted(1, 50)).toBe(1)
    lines.put(1, 'one\ntwo')
    expect(lines.wanted(1, 50)).toBe(3)
    lines.failed(3)
    expect(lines.wanted(1, 50)).toBe(3)
  })

  it('stops at the end', () => {
    const lines = new Lines(3)
    lines.put(1, 'a\nb\nc\nd')
    expect(lines.range(1, 100)).toEqual(['a', 'b', 'c'])
    expect(lines.wanted(1, 100)).toBeUndefined()
    expect(new Lines(Number.MAX_SAFE_INTEGER).total).toBeLessThan(100_000_000)
  })
})
