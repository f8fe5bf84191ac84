import { PassThrough } from 'node:stream'
import type { ReadStream } from 'node:tty'
import { describe, expect, it } from 'vitest'
import { PasteFilter } from './paste.ts'
import { tailRow } from './terminal.ts'

/** What readline receives of keys that arrive in these chunks. */
async function typed(...pieces: readonly (string | Buffer)[]): Promise<string> {
  const source = new PassThrough()
  const filter = new PasteFilter(source as unknown as ReadStream)
  for (const piece of pieces) source.write(piece)
  source.end()
  let text = ''
  for await (const chunk of filter) text += String(chunk)
  return text
}

describe('pasted text', () => {
  it('is one line, with marks for line ends', async () => {
    expect(await typed('a\u001B[200~one\r\ntwo\nthree\rfour\u001B[201~b\r')).toBe('aone↵two↵three↵fourb\r')
  })

  it('stays whole if it arrives in chunks', async () => {
    const bytes = Buffer.from('\u001B[200~grün\nx\u001B[201~\r')
    // Not after the first character, which could be the Escape key.
    for (let cut = 2; cut < bytes.length; cut++)
      expect(await typed(bytes.subarray(0, cut), bytes.subarray(cut))).toBe('grün↵x\r')
  })

  it('contains no control characters', async () => {
    expect(await typed('\u001B[200~\ta\u0003b\u001B[Ac\u001B[201~')).toBe('    ab[Ac')
  })

  it('leaves typed text unchanged', async () => {
    expect(await typed('a\r', '\u001B', '\u001B[A', '\u0003', 'b\u001B\rc')).toBe(
      'a\r\u001B\u001B[A\u0003b↵c',
    )
  })
})

describe('the last row of a text', () => {
  it.each([
    ['', ''],
    ['one', 'one'],
    ['one\n', ''],
    ['one\ntwo', 'two'],
    ['0123456789', ''],
    ['0123456789ab', 'ab'],
    // A character of two columns that does not fit moves to the next row.
    ['012345678日本', '日本'],
    ['e\u0301'.repeat(11), 'e\u0301'],
  ])('of %j', (text, row) => {
    expect(tailRow(text, 10)).toBe(row)
  })

  it('keeps its colour', () => {
    expect(tailRow('\u001B[2m0123456789ab\u001B[22m', 10)).toBe('\u001B[2mab\u001B[22m')
    expect(tailRow('\u001B[2m01234\u001B[22m56789ab', 10)).toBe('ab')
  })
})
