import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Place } from '../../contract/agent.ts'
import { guard as claudeGuard } from '../../agents/claude/guard.ts'
import { guard as geminiGuard } from '../../agents/gemini/guard.ts'
import { applyGuard, undoGuard } from './guard-record.ts'

let place: Place
beforeEach(() => {
  const home = mkdtempSync(join(tmpdir(), 'remora-guard-'))
  place = { env: {}, home, cwd: home, version: '0.61.0' }
  for (const folder of ['.claude', '.gemini']) mkdirSync(join(home, folder))
})
afterEach(() => rmSync(place.home, { recursive: true, force: true }))

const guards = [
  ['.claude', claudeGuard],
  ['.gemini', geminiGuard],
] as const

it.each(guards)('restores the exact bytes of the settings in %s', async (folder, guard) => {
  const file = join(place.home, folder, 'settings.json')
  const text = '{\r\n   // mine\r\n   "a": [1,2],\r\n}'
  writeFileSync(file, text)
  const record = await applyGuard('x', (await guard(place))!)
  expect(readFileSync(file, 'utf8')).not.toBe(text)
  expect(await undoGuard(record)).toBe('restored')
  expect(readFileSync(file, 'utf8')).toBe(text)
  expect(await undoGuard(record)).toBe('kept')
})

it.each(guards)('deletes settings in %s that it has created', async (folder, guard) => {
  const file = join(place.home, folder, 'settings.json')
  const record = await applyGuard('x', (await guard(place))!)
  expect(await undoGuard(record)).toBe('deleted')
  expect(existsSync(file)).toBe(false)
})

it.each(guards)('keeps later changes in %s', async (folder, guard) => {
  const file = join(place.home, folder, 'settings.json')
  writeFileSync(file, '{\n  "a": 1\n}\n')
  const record = await applyGuard('x', (await guard(place))!)
  writeFileSync(file, readFileSync(file, 'utf8').replace('"a": 1', '"a": 2'))
  expect(await undoGuard(record)).toBe('cleaned')
  expect(readFileSync(file, 'utf8')).toBe('{\n  "a": 2\n}\n')
})

it('restores the earlier value, and keeps a value that the user has set', async () => {
  const file = join(place.home, '.claude/settings.json')
  writeFileSync(file, '{ "cleanupPeriodDays": 7 }\n')
  const record = await applyGuard('claude', (await claudeGuard(place))!)
  writeFileSync(file, readFileSync(file, 'utf8').replace('{', '{ "b": 1,'))
  expect(await undoGuard(record)).toBe('cleaned')
  expect(readFileSync(file, 'utf8')).toBe('{ "b": 1, "cleanupPeriodDays": 7 }\n')
  const again = await applyGuard('claude', (await claudeGuard(place))!)
  writeFileSync(file, '{ "cleanupPeriodDays": 90 }\n')
  expect(await undoGuard(again)).toBe('kept')
})
