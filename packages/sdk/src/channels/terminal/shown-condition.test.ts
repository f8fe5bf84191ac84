import { describe, expect, it } from 'vitest'
import { shownCondition } from './shown-condition.ts'

describe('shownCondition', () => {
  it('tells requests apart that differ in one sign', () => {
    const box = (command: string) => ['╭────╮', `│ ${command} │`, '│ ● 1. Allow once │', '╰────╯']
    const one = shownCondition(box('rm -r build-1'), ['rm -r build-1', 'Allow once'])
    expect(one).toBe('#{&&:#{C:rm ?r build?1},#{C:Allow once}}')
    expect(one).not.toBe(shownCondition(box('rm -r build-2'), ['rm -r build-2', 'Allow once']))
  })

  it('goes by rows where a text is broken', () => {
    expect(shownCondition(['│ a long command │', '│ with an end │'], ['a long command with an end'])).toBe(
      '#{&&:#{C:a long command},#{C:with an end}}',
    )
  })

  it('lets no text mean more than itself', () => {
    const text = '#{?x,$(y),}*[a-z]\\ "quoted" {b}, ümläut'
    expect(shownCondition([text], [text])).toMatch(/^#\{C:[A-Za-z0-9 *?]+\}$/)
  })

  it('holds always where nothing telling is to be seen', () => {
    expect(shownCondition(['ok'], ['no'])).toBe('1')
  })
})
