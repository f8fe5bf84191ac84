import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { alternatives, fitsPath, fitsText } from './globs.ts'

describe('fitsText', () => {
  it('matches like a RegExp made of the glob', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 8 })
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 12 })
    fc.assert(
      fc.property(letters, text, (glob, words) => {
        const pattern = new RegExp(`^${glob.replaceAll('.', '\\.').replaceAll('*', '.*')}$`)
        expect(fitsText(glob, words)).toBe(pattern.test(words))
      }),
      { numRuns: 2000 },
    )
  })

  it('finishes where a RegExp would not', () => {
    expect(fitsText(`${'*a'.repeat(30)}*b`, 'a'.repeat(20_000))).toBe(false)
  })
})

describe('fitsPath', () => {
  it.each([
    ['src/**', 'src/a/b.ts', true],
    ['src/**', 'src', true],
    ['src/', 'src/.hidden/x', true],
    ['./src/*', 'src/a', true],
    ['src/*', 'src/a/b', false],
    ['src/**', 'srcs/a', false],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'x/y/a.ts', true],
    ['a/**/z', 'a/z', true],
    ['a/**/b/**/z', 'a/x/b/y/y/z', true],
    ['a/**/b/**/z', 'a/x/y/z', false],
    ['**', '.', true],
    ['*.{ts,js}', 'a.js', true],
    ['*.{ts,js}', 'a.jsx', false],
    ['?.md', 'é.md', true],
    ['?.md', '😀.md', true],
    ['?.md', 'ab.md', false],
    ['pages/[id].tsx', 'pages/[id].tsx', true],
    ['pages/[id].tsx', 'pages/i.tsx', false],
    ['/etc/**', '/etc/passwd', true],
    ['**/.env', '/home/me/.env', true],
  ])('%s, %s: %s', (glob, path, fits) => {
    expect(fitsPath(glob, path)).toBe(fits)
  })
})

describe('alternatives', () => {
  it('expands them, and returns nothing for too many', () => {
    expect(alternatives('{a,b}/{c,}')).toEqual(['a/c', 'a/', 'b/c', 'b/'])
    expect(alternatives('{a}{b')).toEqual(['{a}{b'])
    expect(alternatives('{a,b}'.repeat(20))).toEqual([])
  })
})
