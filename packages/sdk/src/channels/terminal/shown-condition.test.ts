import { describe, expect, it } from 'vitest'
import { toShownPatterns, toTmuxCondition } from './shown-condition.ts'

const toShownCondition = (lines: readonly string[], texts: readonly string[]) =>
  toTmuxCondition(toShownPatterns(lines, texts))

describe('toTmuxCondition', () => {
  it('distinguishes requests that differ in one character', () => {
    const box = (command: string) => ['╭────╮', `│ ${command} │`, '│ ● 1. Allow once │', '╰────╯']
    const one = toShownCondition(box('rm -r build-1'), ['rm -r build-1', 'Allow once'])
    expect(one).toBe('#{&&:#{C:rm ?r build?1},#{C:Allow once}}')
    expect(one).not.toBe(toShownCondition(box('rm -r build-2'), ['rm -r build-2', 'Allow once']))
  })

  it('matches rows if a text is wrapped', () => {
    expect(toShownCondition(['│ a long command │', '│ with an end │'], ['a long command with an end'])).toBe(
      '#{&&:#{C:a long command},#{C:with an end}}',
    )
  })

  it('gives no text a special meaning', () => {
    const text = '#{?x,$(y),}*[a-z]\\ "quoted" {b}, ümläut'
    expect(toShownCondition([text], [text])).toMatch(/^#\{C:[A-Za-z0-9 *?]+\}$/)
  })

  it('always holds if no distinctive text is shown', () => {
    expect(toShownCondition(['ok'], ['no'])).toBe('1')
  })
})
