import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LongTurn } from '@remora/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'

/** Imports parts of the bench, which runs the built server in a separate process with an event loop monitor. */
const importBench = async <T>(name: string): Promise<T> =>
  (await import(new URL(`../../../../bench/lib/${name}.mjs`, import.meta.url).href)) as T

interface Server {
  readonly socketPath: string
  longTurns(): LongTurn[]
  stop(): Promise<void>
}
interface Corpus {
  claudeCorpus(home: string, size: { files: number; turns: number }): void
}

let folder = ''
// Short, because the length of a socket path is limited.
beforeEach(() => void (folder = mkdtempSync('/tmp/rl-')))
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

it('uses no more than 100 ms of CPU in a turn while 40 clients get 10,000 events', async () => {
  const { measureBurst } = await importBench<{
    measureBurst(folder: string, load: Record<string, number>): Promise<{ turns: LongTurn[] }>
  }>('load-burst')
  const load = { events: 10_000, clients: 40, perMessage: 20, bytes: 500, baseMs: 0, restMs: 0, quietMs: 500 }
  const { turns } = await measureBurst(folder, load)
  expect(turns).toEqual([])
})

it('uses no more than 100 ms of CPU in a turn while it imports sessions', async () => {
  const { claudeCorpus } = await importBench<Corpus>('corpus')
  const { openServer } = await importBench<{
    openServer(folder: string, options: { monitored: boolean }): Promise<Server>
  }>('load-server')
  const { ask } = await importBench<{
    ask(request: { socketPath: string; path: string }): Promise<{ sessions: unknown[] }>
  }>('live-server')
  mkdirSync(join(folder, 'home'))
  claudeCorpus(join(folder, 'home'), { files: 60, turns: 20 })
  const server = await openServer(folder, { monitored: true })
  try {
    const { socketPath } = server
    for (let count = 0; count < 60; await sleep(100))
      count = (await ask({ socketPath, path: '/api/sessions?limit=100' })).sessions.length
    expect(server.longTurns()).toEqual([])
  } finally {
    await server.stop()
  }
})
