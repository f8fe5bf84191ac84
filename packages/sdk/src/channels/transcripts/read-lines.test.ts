import { closeSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openFile, readLines } from './read-lines.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remora-lines-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function read(text: string, options: { limit?: number; chunkSize?: number; from?: number } = {}) {
  const path = join(folder, 'lines')
  await writeFile(path, text)
  const file = openFile(path) as number
  const lines: { offset: number; next: number; text: string | undefined; whole: boolean }[] = []
  for (const some of readLines(file, options.from ?? 0, options))
    for (const { buffer, start, end, ...line } of some)
      lines.push({ ...line, text: buffer?.toString('utf8', start, end) })
  closeSync(file)
  return lines
}

it('yields every line once, with its offset, for any chunk size', async () => {
  const line = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\n', ''))
  await fc.assert(
    fc.asyncProperty(
      fc.array(line),
      fc.boolean(),
      fc.integer({ min: 1, max: 50 }),
      async (list, ends, chunkSize) => {
        const text = list.join('\n') + (ends && list.length > 0 ? '\n' : '')
        const lines = await read(text, { chunkSize })
        const clean = Buffer.from(text).toString('utf8')
        expect(lines.map((each) => each.text + (each.whole ? '\n' : '')).join('')).toBe(clean)
        const bytes = Buffer.from(text)
        for (const { offset, next, text: told, whole } of lines)
          expect(bytes.subarray(offset, whole ? next - 1 : next).toString('utf8')).toBe(told)
      },
    ),
    { numRuns: 60 },
  )
})

it('starts at any offset', async () => {
  expect(await read('one\ntwo\nthree', { from: 4 })).toEqual([
    { offset: 4, next: 8, text: 'two', whole: true },
    { offset: 8, next: 13, text: 'three', whole: false },
  ])
  expect(await read('one\n', { from: 4 })).toEqual([])
})

it('skips the bytes of a line that is too long and continues after it', async () => {
  const lines = await read(`a\n${'x'.repeat(100)}\nb\n${'y'.repeat(100)}`, { limit: 50, chunkSize: 20 })
  expect(lines.map(({ text, whole }) => [text, whole])).toEqual([
    ['a', true],
    [undefined, true],
    ['b', true],
    [undefined, false],
  ])
})
