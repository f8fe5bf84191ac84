import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ControlParser } from './control-parser.ts'

interface Seen {
  readonly outputs: string[]
  readonly replies: [boolean, string[]][]
  readonly notices: [string, string][]
}

function parse(chunks: readonly Buffer[], lines?: number): Seen {
  const seen: Seen = { outputs: [], replies: [], notices: [] }
  const bytes: Buffer[] = []
  const parser = new ControlParser(
    {
      begin: () => lines,
      reply: (_, ok, text) => seen.replies.push([ok, text]),
      output: (_, data) => bytes.push(data),
      notice: (name, rest) => seen.notices.push([name, rest]),
    },
    '%1',
  )
  for (const chunk of chunks) parser.push(chunk)
  seen.outputs.push(Buffer.concat(bytes).toString('utf8'))
  return seen
}

/** As tmux writes it. */
function escaped(bytes: Buffer): Buffer {
  const parts = Array.from(bytes, (byte) =>
    byte < 32 || byte === 92 ? Buffer.from(`\\${byte.toString(8).padStart(3, '0')}`) : Buffer.of(byte),
  )
  return Buffer.concat(parts)
}

describe('ControlParser', () => {
  it('returns every text, however tmux and the pipe split it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.array(fc.nat(), { maxLength: 10 }),
        fc.boolean(),
        (text, cuts, extended) => {
          const bytes = Buffer.from(text)
          const places = [
            0,
            ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b),
            bytes.length,
          ]
          const lines = places
            .slice(1)
            .map((end, index) =>
              Buffer.concat([
                Buffer.from(extended ? '%extended-output %1 12 : ' : '%output %1 '),
                escaped(bytes.subarray(places[index], end)),
                Buffer.from('\n%output %2 another pane\n'),
              ]),
            )
          const stream = Buffer.concat(lines)
          expect(parse([stream]).outputs).toEqual([text])
          expect(parse(Array.from(stream, (byte) => Buffer.of(byte))).outputs).toEqual([text])
        },
      ),
    )
  })

  it('distinguishes answers, failures and notices', () => {
    const text = '%begin 1 2 1\na\n%b\n%end 1 2 1\n%window-close @3\n%begin 1 3 1\nno\n%error 1 3 1\n%exit\n'
    expect(parse([Buffer.from(text)])).toMatchObject({
      replies: [
        [true, ['a', '%b']],
        [false, ['no']],
      ],
      notices: [
        ['window-close', '@3'],
        ['exit', ''],
      ],
    })
  })

  it('does not take a line of an answer for its end', () => {
    const forged = '%begin 1 2 1\n%end 1 9 1\n%end 1 2 1\n%exit\n%end 1 2 1\n'
    expect(parse([Buffer.from(forged)], 3).replies).toEqual([[true, ['%end 1 9 1', '%end 1 2 1', '%exit']]])
    expect(parse([Buffer.from(forged)], 3).notices).toEqual([])
  })

  it('refuses a line without end', () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    expect(() => parse(Array.from({ length: 20 }, () => chunk))).toThrow(/without end/)
  })
})
