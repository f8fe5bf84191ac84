import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from './lib/paths.mjs'
import { findUses, findWords, readWords } from './words.mjs'

const list = readWords()
const uses = findUses(list)

describe('words that have a standard term', () => {
  it('are found in identifiers, file names, comments and strings, but not in allowed phrases', () => {
    const words = { greet: { pattern: 'hello', instead: 'greet', allowed: ['hello world'] } }
    const small = readWords({ words, allowed: [], ceilings: {} })
    const find = (text) => findWords(text, small).map(({ line, use }) => `${line} ${use}`)
    expect(find('// Hello there\nconst sayHelloTwice = 1\nsay-hello.ts')).toEqual([
      '1 Hello',
      '2 Hello',
      '3 hello',
    ])
    expect(find("print('hello world')\nothello")).toEqual([])
  })

  // An area with a ceiling is not clean yet: `npm run words -- --lower` lowers its ceiling, which is never raised.
  it.each([...uses.keys()])('%s has no more of them than its ceiling', (area) => {
    const found = uses.get(area)
    const lines = found.map((use) => `${use.file}:${use.line}: write ${use.instead} instead of "${use.use}"`)
    const hint = `Reword these, or add a file and a reason to scripts/words.json.\n${lines.slice(0, 40).join('\n')}`
    expect(found.length, hint).toBeLessThanOrEqual(list.ceilings[area] ?? 0)
  })

  it('are allowed only in files that exist, each with a reason', () => {
    const names = list.words.map(({ name }) => name)
    const wrong = list.allowed.filter(
      ({ file, word, reason }) => !existsSync(join(root, file)) || !names.includes(word) || !reason,
    )
    expect(wrong).toEqual([])
  })
})
