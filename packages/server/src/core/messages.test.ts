import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ledger, openLedger } from '@remora/ledger'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Story } from '../../../ledger/src/contract/story.test-data.ts'
import { readMessages } from './messages.ts'

const key = { agent: 'claude', session: 'one' }
let folder = ''
let ledger: Ledger
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'remora-messages-'))
  ledger = await openLedger({ file: join(folder, 'ledger.db') })
  const [record] = new Story().prompt('Hello')
  await ledger.append([{ events: [{ ...record!.events[0]!, raw: { own: 'record of the agent' } }] }])
})
afterEach(async () => {
  vi.useRealTimers()
  await ledger.close()
  rmSync(folder, { recursive: true, force: true })
})

it('caches folded messages for a minute after their last use', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { messages } = await readMessages(ledger, key)
  await vi.advanceTimersByTimeAsync(40_000)
  expect((await readMessages(ledger, key)).messages).toBe(messages)
  await vi.advanceTimersByTimeAsync(40_000)
  expect((await readMessages(ledger, key)).messages).toBe(messages)
  await vi.advanceTimersByTimeAsync(61_000)
  expect((await readMessages(ledger, key)).messages).not.toBe(messages)
})

it('caches no raw records, and reads them on request', async () => {
  const { messages } = await readMessages(ledger, key)
  expect(JSON.stringify(messages)).not.toContain('record of the agent')
  const { messages: whole } = await readMessages(ledger, key, { originals: true })
  expect(JSON.stringify(whole)).toContain('record of the agent')
  expect((await readMessages(ledger, key)).messages).toBe(messages)
})
