import { describe, expect, it } from 'vitest'
import { countLines, fold, foldFront } from './fold.ts'
import { findGrammar, findLanguage } from './languages.ts'

const many = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n')

describe('fold', () => {
  it('does not fold a slightly longer text', () => {
    expect(fold(many(13), { lines: 10 })).toEqual({ text: many(13), lines: 13, isFolded: false })
  })

  it('keeps the first or the last lines', () => {
    expect(fold(many(100), { lines: 3 })).toEqual({ text: many(3), lines: 100, isFolded: true })
    expect(foldFront(many(100), { lines: 2 })).toEqual({
      text: 'line 99\nline 100',
      lines: 100,
      isFolded: true,
    })
  })

  it('cuts a very long line', () => {
    const line = 'x'.repeat(1_000_000)
    expect(fold(line).text).toHaveLength(20_000)
    expect(foldFront(line).text).toHaveLength(20_000)
    expect(fold(line).lines).toBe(1)
  })

  it('counts lines as people do', () => {
    expect(['', 'a', 'a\n', 'a\nb', '\n\n'].map(countLines)).toEqual([0, 1, 1, 2, 2])
  })
})

describe('languages', () => {
  it('are found by many names', () => {
    expect(
      ['ts', 'TypeScript', 'sh', 'c++', 'yml', 'klingon', undefined, '__proto__'].map(findGrammar),
    ).toEqual(['typescript', 'typescript', 'shellscript', 'cpp', 'yaml', undefined, undefined, undefined])
  })

  it('are found by file name', () => {
    expect(
      ['/a/b.test.tsx', 'Dockerfile', 'C:\\a\\b.py', '/a.b/Makefile', 'x', undefined].map(findLanguage),
    ).toEqual(['tsx', 'docker', 'python', 'make', undefined, undefined])
  })
})
