import { expect, it } from 'vitest'
import type { Bench } from './engine.test-data.ts'
import { Story } from './story.test-data.ts'

export function testLongText(bench: Bench): void {
  it('finds words and phrases anywhere in a long text, also far apart', async () => {
    const ledger = await bench.open()
    const story = new Story()
    // Common words, rare words, and one that is longer than the index allows.
    const filler = Array.from({ length: 20_000 }, (_, index) => `the w${index}`).join(' ')
    const endless = 'z'.repeat(10_000)
    await ledger.append([
      ...story.prompt(`aardvark ${filler} the very last pangolin ${endless}a`, 'long'),
      ...story.prompt(`aardvark and ${endless}b`, 'short'),
      ...story.prompt('pangolin alone', 'other'),
    ])
    await ledger.indexText()
    const found = async (text: string): Promise<string[]> =>
      (await ledger.search({ text })).map(({ entity }) => entity).reverse()
    expect(await found('aardvark')).toEqual(['long', 'short'])
    expect(await found('aardvark pangolin')).toEqual(['long'])
    expect(await found('pangolin aardvark w10000 "the w19999"')).toEqual(['long'])
    expect(await found('"the w9999 the w10000 the w10001"')).toEqual(['long'])
    expect(await found('"the very last pangolin"')).toEqual(['long'])
    expect(await found('"w10001 the w10000"')).toEqual([])
    expect(await found('"very the"')).toEqual([])
    expect(await found('aardvark w1999')).toEqual(['long'])
    expect(await found('pangolin w20000')).toEqual([])
    // Every phrase across every border between parts.
    for (let index = 0; index < 19_999; index += 997)
      expect(await found(`"w${index} the w${index + 1}"`), String(index)).toEqual(['long'])
    expect(await found(`${endless}a`)).toEqual(['long'])
    expect(await found(`"${endless}b"`)).toEqual(['short'])
    expect(await found(endless.slice(0, 300))).toEqual(['long', 'short'])
    const [hit] = await ledger.search({ text: '"very last pangolin"' })
    expect(hit!.snippet.slice(...hit!.matches[0]!)).toBe('very last pangolin')
    // The text was replaced, so no old word may be left.
    await ledger.append(story.prompt('a quagga instead', 'long'))
    await ledger.indexText()
    expect(await found('aardvark')).toEqual(['short'])
    expect(await found('w10000')).toEqual([])
    expect(await found('quagga')).toEqual(['long'])
  })
}
