import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { type LongTurn, monitorLoop } from './loop-report.ts'

/** A server that does some work at its first request and then ends. */
const program = `
import { createServer, get } from 'node:http'
const used = (since) => { const { user, system } = process.cpuUsage(since); return (user + system) / 1000 }
const spin = (ms) => { const since = process.cpuUsage(); while (used(since) < ms); }
spin(300)
const server = createServer((request, response) => response.end()).listen(0, '127.0.0.1', () => {
  get({ port: server.address().port, agent: false }, (response) => {
    response.resume().on('end', () => setTimeout(() => {
      WORK
      setTimeout(() => process.exit(), 50)
    }, 20))
  })
})
`

async function findLongTurns(work: string): Promise<LongTurn[]> {
  const folder = mkdtempSync(join(tmpdir(), 'remora-loop-'))
  try {
    const monitor = monitorLoop(join(folder, 'turns.jsonl'))
    const args = [...monitor.args, '--input-type=module', '--eval', program.replace('WORK', work)]
    await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...monitor.env } })
    return monitor.longTurns()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

it('reports a turn that uses 150 ms of CPU', async () => {
  const turns = await findLongTurns('spin(150)')
  expect(turns).toHaveLength(1)
  expect(turns[0]!.cpuMs).toBeGreaterThan(100)
})

it('does not report waiting, short turns, or loading the program', async () => {
  const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)'
  expect(await findLongTurns(`${wait}; spin(40)`)).toEqual([])
})
