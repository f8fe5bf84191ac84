import { describe, expect, it } from 'vitest'
import { changedPart, parseHunks, toDiffRows } from './diff-rows.ts'
import { replaceInvisible } from './replace-invisible.ts'

describe('parseHunks', () => {
  it('numbers the lines of every hunk', () => {
    const rows = parseHunks(
      [
        '@@ -10,3 +10,4 @@ function go() {',
        ' one',
        '-two',
        '+TWO',
        '+three',
        ' four',
        '@@ -30 +31 @@',
        '-x',
      ].join('\n'),
    )
    expect(rows).toEqual([
      { kind: 'hunk', text: 'function go() {', old: 10, new: 10 },
      { kind: 'context', text: 'one', old: 10, new: 10 },
      { kind: 'removed', text: 'two', old: 11 },
      { kind: 'added', text: 'TWO', new: 11 },
      { kind: 'added', text: 'three', new: 12 },
      { kind: 'context', text: 'four', old: 12, new: 13 },
      { kind: 'hunk', text: '', old: 30, new: 31 },
      { kind: 'removed', text: 'x', old: 30 },
    ])
  })

  it('does not take changed lines for headers', () => {
    const rows = parseHunks('@@ -1,2 +1,2 @@\n--- a/old\n+++ b/new\n+@@ -1 +1 @@')
    expect(rows.map(({ kind }) => kind)).toEqual(['hunk', 'removed', 'added', 'added'])
    expect(rows.map((row) => ('text' in row ? row.text : ''))).toEqual([
      '',
      '-- a/old',
      '++ b/new',
      '@@ -1 +1 @@',
    ])
  })

  it('reports a missing newline at the end of a file', () => {
    const rows = parseHunks('@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n')
    expect(rows.map(({ kind }) => kind)).toEqual(['hunk', 'removed', 'end', 'added'])
  })

  it('reads merge hunks', () => {
    expect(parseHunks('@@@ -1,2 -3,2 +5,3 @@@ here')[0]).toEqual({
      kind: 'hunk',
      text: 'here',
      old: 1,
      new: 5,
    })
  })

  it('shows other text as context lines', () => {
    expect(parseHunks('')).toEqual([])
    expect(parseHunks('plain\n\nwords')).toEqual([
      { kind: 'context', text: 'plain', old: 1, new: 1 },
      { kind: 'context', text: '', old: 2, new: 2 },
      { kind: 'context', text: 'words', old: 3, new: 3 },
    ])
  })

  it('marks the difference between paired lines', () => {
    const [, removed, added] = parseHunks('@@ -1 +1 @@\n-const a = 1\n+const a = 25')
    expect(removed).toMatchObject({ part: [10, 11] })
    expect(added).toMatchObject({ part: [10, 12] })
  })

  it('marks nothing if lines cannot be paired', () => {
    const rows = parseHunks('@@ -1,2 +1 @@\n-const a = 1\n-const b = 1\n+const a = 2')
    expect(rows.some((row) => 'part' in row)).toBe(false)
  })

  it('is quick with a very long line, and with many', () => {
    const line = 'x'.repeat(1_000_000)
    const many = Array.from({ length: 50_000 }, (_, index) => `-a${index}\n+b${index}`).join('\n')
    const start = process.cpuUsage()
    expect(parseHunks(`@@ -1 +1 @@\n-${line}\n+${line}y`)).toHaveLength(3)
    expect(parseHunks(many)).toHaveLength(100_000)
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(10_000)
  })
})

describe('toDiffRows', () => {
  it('numbers lines where the start of a hunk is known, and separates hunks', () => {
    const rows = toDiffRows([
      { oldStart: 4, newStart: 5, lines: [' a', '-b', '+c'] },
      { oldStart: undefined, newStart: undefined, lines: [' d'] },
    ])
    expect(rows).toEqual([
      { kind: 'context', text: 'a', old: 4, new: 5 },
      { kind: 'removed', text: 'b', old: 5 },
      { kind: 'added', text: 'c', new: 6 },
      { kind: 'gap' },
      { kind: 'context', text: 'd', old: undefined, new: undefined },
    ])
  })

  it('marks the text that differs within a line', () => {
    const mark = (...lines: string[]) =>
      toDiffRows([{ oldStart: undefined, newStart: undefined, lines }]).map((row) =>
        'part' in row ? row.part : undefined,
      )
    expect(mark('-let a = 1', '+let a = 2')).toEqual([
      [8, 9],
      [8, 9],
    ])
    expect(mark('-one', '+entirely other')).toEqual([undefined, undefined])
    expect(mark('-a', '-b', '+a')).toEqual([undefined, undefined, undefined])
  })
})

describe('changedPart', () => {
  it.each([
    ['let a = 1', 'let a = 2', [8, 9], [8, 9]],
    ['call(one)', 'call(one, two)', [8, 8], [8, 13]],
    ['aa', 'aaa', [2, 2], [2, 3]],
    ['say 👋 now', 'say 👍 now', [4, 6], [4, 6]],
  ])('%s to %s', (left, right, before, after) => {
    expect(changedPart(left, right)).toEqual([before, after])
  })

  it.each([
    ['same', 'same'],
    ['', 'new'],
    ['one thing', 'and another'],
    ['x'.repeat(5_000), `${'x'.repeat(5_000)}y`],
  ])('is undefined for %s and %s', (left, right) => {
    expect(changedPart(left, right)).toBeUndefined()
  })
})

describe('replaceInvisible', () => {
  it('replaces control, invisible and direction characters', () => {
    expect(replaceInvisible('if (x) {\u202E // go\u2066')).toBe('if (x) {\uFFFD // go\uFFFD')
    expect(replaceInvisible('a\u0000b\u001B[31m\tc\u007F')).toBe('a␀b␛[31m\tc␡')
    expect(replaceInvisible('a\rb\r')).toBe('a␍b\r')
  })

  it('keeps text of every language', () => {
    const text = 'שלום 你好 é 👨‍👩‍👧'
    expect(replaceInvisible(text)).toBe(text)
  })
})
