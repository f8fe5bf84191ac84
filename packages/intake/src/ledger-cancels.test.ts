import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ledger, openLedger } from '@remora/ledger'
import type { Command } from '@remora/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ledgerCancels } from './index.ts'

let home = ''
let ledger: Ledger
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'remora-cancels-'))
  ledger = await openLedger({ file: join(home, 'ledger.db') })
})
afterEach(async () => {
  await ledger.close()
  rmSync(home, { recursive: true, force: true })
})

function cancel(id: string, session: string, agent = 'gemini'): Command {
  return {
    id,
    client: 'phone',
    target: { agent, session },
    body: { kind: 'cancel' },
    state: 'queued',
    at: Date.now(),
  }
}

it('cancels only its own sessions, each request once', async () => {
  const stop = new AbortController()
  const cancelled: string[] = []
  const following = ledgerCancels(ledger).follow({
    agent: 'gemini',
    has: (session) => session !== 'elsewhere',
    cancel: async (session) => cancelled.push(session) > 0 && session === 'busy',
    signal: stop.signal,
  })
  const commands = [
    cancel('1', 'busy'),
    cancel('2', 'idle'),
    cancel('3', 'elsewhere'),
    cancel('4', 'busy', 'claude'),
    { ...cancel('5', 'busy'), body: { kind: 'end' } as const },
  ]
  for (const command of commands) await ledger.commands.submit(command)
  const states = async () => (await ledger.commands.list()).map(({ state }) => state)
  await expect.poll(states, { timeout: 30_000 }).toEqual(['done', 'refused', 'queued', 'queued', 'queued'])
  stop.abort()
  await following
  expect(cancelled).toEqual(['busy', 'idle'])
})
