import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readLinesFromEnd } from './lines-from-end.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remora-lines-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function read(text: string, size?: number): Promise<string[]> {
  const path = join(folder, 'lines')
  await writeFile(path, text)
  const lines: string[] = []
  for await (const line of readLinesFromEnd(path, size)) lines.push(line.toString())
  return lines
}

describe('readLinesFromEnd', () => {
  it.each([1, 2, 3, 5, 100])('reads lines backwards in chunks of %i bytes', async (size) => {
    expect(await read('one\ntwö\n\nthree', size)).toEqual(['three', '', 'twö', 'one'])
    expect(await read('one\ntwo\n', size)).toEqual(['', 'two', 'one'])
    expect(await read('\n', size)).toEqual(['', ''])
  })

  it('finds no lines in an empty or missing file', async () => {
    expect(await read('')).toEqual([])
    for await (const line of readLinesFromEnd(join(folder, 'nothing'))) expect.unreachable(line.toString())
  })
})
