import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { scanSpool, createSpool, writeToSpool, refusedPayloads, spoolFolder } from './spool.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'remora-spool-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function write(name: string, seconds: number, ready = true): void {
  const file = join(spoolFolder(home), name)
  writeFileSync(file, name)
  utimesSync(file, seconds, seconds)
  if (ready) writeFileSync(`${file}.ready`, '')
}

it('is empty if its folder is missing', () => {
  expect(scanSpool(home)).toEqual({ entries: [], unfinished: [] })
  expect(refusedPayloads(home)).toBe(0)
})

it('lists complete entries in the order of writing', () => {
  createSpool(home)
  write('3/gemini.67.0', 30)
  write('4/claude.68.0', 10)
  write('3/gemini.3.1', 20)
  write('3/codex.3.0', 20)
  write('5/gemini.5.0', 5, false)
  writeFileSync(join(spoolFolder(home), '6', 'gemini.6.0.ready'), '')
  writeFileSync(join(spoolFolder(home), 'refused'), '\n\n')
  const { entries, unfinished } = scanSpool(home)
  expect(entries.map(({ id }) => id)).toEqual([
    'claude.68.0.10000000000',
    'codex.3.0.20000000000',
    'gemini.3.1.20000000000',
    'gemini.67.0.30000000000',
  ])
  expect(entries[0]).toMatchObject({ agent: 'claude', at: 10_000, size: '4/claude.68.0'.length })
  expect(unfinished.map(({ file, at }) => [file.slice(spoolFolder(home).length), at])).toEqual([
    ['/5/gemini.5.0', 5000],
    ['/6/gemini.6.0.ready', 0],
  ])
  expect(refusedPayloads(home)).toBe(2)
})

it('accepts payloads from programs like those from the hook', () => {
  writeToSpool(home, 'gemini', 'one')
  writeToSpool(home, 'gemini', 'two')
  const { entries } = scanSpool(home)
  expect(entries.map(({ file }) => readFileSync(file, 'utf8'))).toEqual(['one', 'two'])
  const shard = join(spoolFolder(home), `${process.pid % 64}`)
  expect(entries[1]?.file).toBe(join(shard, `gemini.${process.pid}.1`))
  expect(statSync(entries[0]!.file).mode & 0o777).toBe(0o600)
  expect(statSync(shard).mode & 0o777).toBe(0o700)
})

it('refuses payloads when it is full', () => {
  createSpool(home)
  for (let count = 0; count < 128; count++)
    writeFileSync(join(spoolFolder(home), `${process.pid % 64}`, `x${count}`), '')
  expect(() => writeToSpool(home, 'gemini', '{}')).toThrow(/is full/)
})
