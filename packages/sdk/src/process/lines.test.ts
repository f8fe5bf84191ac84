import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { lines } from './lines.ts'

async function collect(chunks: Iterable<Uint8Array | string>): Promise<string[]> {
  const result: string[] = []
  for await (const line of lines(chunks)) result.push(line)
  return result
}

/** Cuts bytes at the given places, which may repeat and so make empty chunks. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [
    0,
    ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b),
    bytes.length,
  ]
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end))
}

describe('lines', () => {
  it('cuts at LF and nowhere else', async () => {
    const separators = ['\u2028', '\u2029', '\u0085', '\v', '\f', '\r']
    const text = separators.map((separator) => `a${separator}b`).join('\n')
    expect(await collect([text])).toEqual(separators.map((separator) => `a${separator}b`))
  })

  it('keeps the CR of a CRLF', async () => {
    expect(await collect(['{"a":1}\r\n{}\r\n'])).toEqual(['{"a":1}\r', '{}\r'])
  })

  it('yields empty lines, but no empty last line', async () => {
    expect(await collect(['\n\na'])).toEqual(['', '', 'a'])
    expect(await collect(['a\n'])).toEqual(['a'])
    expect(await collect([])).toEqual([])
  })

  it('yields the same lines for any chunking', async () => {
    const unit = fc.oneof(
      fc.constantFrom('\n', '\r\n', '\u2028', '\u2029', '😀', 'é', '"', '\\n'),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(unit), fc.array(fc.nat(), { maxLength: 30 }), async (units, places) => {
        const text = units.join('')
        const expected = text.split('\n')
        if (expected.at(-1) === '') expected.pop()
        const bytes = Buffer.from(text)
        expect(await collect(cut(bytes, places))).toEqual(expected)
        // One byte at a time tears every character that can be torn.
        expect(await collect(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected)
      }),
    )
  })

  it('replaces invalid UTF-8 and continues', async () => {
    expect(await collect([Buffer.from([0x61, 0xff, 0x62, 0x0a, 0x63])])).toEqual(['a\ufffdb', 'c'])
  })

  it('joins a line of 100 MB once', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x')
    const count = 1600
    function* chunks() {
      for (let index = 0; index < count; index++) yield chunk
      yield '\nend'
    }
    // Joining at every chunk would copy 80 GB.
    const join = vi.spyOn(Array.prototype, 'join')
    const result = await collect(chunks())
    const joined = join.mock.contexts.reduce<number>((sum, parts) => sum + (parts as unknown[]).length, 0)
    join.mockRestore()
    expect(result.map((line) => line.length)).toEqual([count * chunk.length, 3])
    expect(joined).toBeLessThanOrEqual(count + 1)
  })

  it('does not read ahead of the consumer', async () => {
    let read = 0
    const source = new Readable({
      highWaterMark: 1,
      read() {
        read++
        this.push(read > 10_000 ? null : `line ${read}\n`)
      },
    })
    for await (const line of lines(source)) {
      if (line === 'line 3') break
    }
    expect(read).toBeLessThan(20)
    expect(source.destroyed).toBe(true)
  })

  it('refuses a line beyond the limit before it is complete', async () => {
    function* endless() {
      for (;;) yield Buffer.alloc(1000, 'x')
    }
    const reading = async () => {
      for await (const _ of lines(endless(), { limit: 10_000 }));
    }
    await expect(reading()).rejects.toMatchObject({
      code: 'input',
      message: expect.stringContaining('10000'),
    })
  })
})
