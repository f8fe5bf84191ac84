import { describe, expect, it } from 'vitest'
import { parseAnsi, stripAnsi } from './ansi.ts'
import { countChanges, diffRoughly, parsePatch, parseUnifiedDiff } from '../diff/hunks.ts'
import { diffExactly } from '../diff/exact-hunks.ts'
import { firstLine, shortPath } from './fields.ts'
import { parseFoundFiles, parseFoundPaths, parseNumberedText } from './parsing.ts'

describe('ansi', () => {
  it('keeps colours and drops cursor movements', () => {
    expect(parseAnsi('\u001B[1;31mno\u001B[0m \u001B[2K\u001B]0;title\u0007ok\u001B[38;5;200m!')).toEqual([
      { text: 'no', style: 'text-bad font-semibold' },
      { text: ' ok!', style: '' },
    ])
  })

  it('keeps the last version of an overwritten line', () => {
    expect(stripAnsi('10%\r50%\r100%\r\ndone\r\n')).toBe('100%\ndone\n')
  })

  it('handles unterminated sequences', () => {
    expect(stripAnsi('a\u001B]0;forever')).toBe('a')
    expect(stripAnsi('a\u001B').trim()).toHaveLength(2)
  })
})

describe('diffs', () => {
  const unified =
    '--- a\n+++ b\n@@ -1,3 +1,3 @@\n first\n--- dashes\n+++ pluses\n last\n@@ -9 +9,2 @@\n x\n+y\n\\ No newline\n'

  it('counts lines, so that a removed line with dashes is no header', () => {
    expect(parseUnifiedDiff(unified)).toEqual([
      { oldStart: 1, newStart: 1, lines: [' first', '--- dashes', '+++ pluses', ' last'] },
      { oldStart: 9, newStart: 9, lines: [' x', '+y'] },
    ])
  })

  it('parses patches of several files', () => {
    const files = parsePatch(
      '*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n@@\n-y\n+z\n*** Delete File: c\n*** End Patch',
    )
    expect(files.map(({ path, kind }) => [path, kind])).toEqual([
      ['a', 'add'],
      ['b', 'update'],
      ['c', 'delete'],
    ])
    expect(countChanges(files)).toEqual({ added: 2, removed: 1 })
  })

  it('compares roughly, then exactly', () => {
    const before = 'a\nb\nc\nd\ne\n'
    const after = 'a\nB\nc\nD\ne\n'
    expect(countChanges([{ path: 'x', kind: 'update', hunks: diffRoughly(before, after) }])).toEqual({
      added: 3,
      removed: 3,
    })
    const exact = diffExactly(before, after)!
    expect(countChanges([{ path: 'x', kind: 'update', hunks: exact }])).toEqual({ added: 2, removed: 2 })
    expect(diffRoughly('a\n', 'a\n')).toEqual([{ oldStart: undefined, newStart: undefined, lines: [' a'] }])
  })
})

describe('files and searches', () => {
  it('reads line number prefixes', () => {
    expect(parseNumberedText('     1→a\n    12→b')).toEqual({ text: 'a\nb', numbers: [1, 12] })
    expect(parseNumberedText('<file>\n00001| a\n00002| b\n</file>')).toEqual({
      text: 'a\nb',
      numbers: [1, 2],
    })
    expect(
      parseNumberedText('<path>/a</path>\n<type>file</type>\n<content>1: a\n2: b\n</content>').text,
    ).toBe('a\nb')
    expect(parseNumberedText('1: not a number\nb', 5)).toEqual({ text: '1: not a number\nb', numbers: 5 })
  })

  it.each([
    ['Claude', 'src/a.ts:3:let x\nsrc/a.ts:9:x++\nsrc/b.ts:1:x'],
    [
      'Gemini',
      'Found 3 matches for pattern "x" in path ".":\n---\nFile: src/a.ts\nL3: let x\nL9: x++\n---\nFile: src/b.ts\nL1: x\n---',
    ],
    ['OpenCode', 'Found 3 matches\n/src/a.ts:\n  Line 3: let x\n  Line 9: x++\n\n/src/b.ts:\n  Line 1: x'],
  ])('groups the matches of %s by file', (_agent, output) => {
    expect(
      parseFoundFiles(output)?.map(({ path, lines }) => [
        path.replace(/^\//, ''),
        lines.map(({ number }) => number),
      ]),
    ).toEqual([
      ['src/a.ts', [3, 9]],
      ['src/b.ts', [1]],
    ])
  })

  it('does not parse other text', () => {
    expect(parseFoundFiles('Nothing here\nthat is a file')).toBeUndefined()
    expect(parseFoundPaths('Found 2 files\na.ts\nb.ts\n')).toEqual(['a.ts', 'b.ts'])
  })

  it('shortens lines and paths', () => {
    expect(firstLine('a\nb')).toBe('a …')
    expect(firstLine('  a ')).toBe('a ')
    expect(firstLine('x'.repeat(300), 10)).toBe(`${'x'.repeat(10)} …`)
    expect(shortPath('/home/user/work/src/a/b.ts')).toBe('…/a/b.ts')
    expect(shortPath('src/b.ts')).toBe('src/b.ts')
  })
})
