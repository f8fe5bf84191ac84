import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { killTree } from './kill-tree.ts'
import { lines } from './lines.ts'
import { readPs, startTime } from './process-table.ts'
import type { Entry } from './process-table.ts'
import { spawnTree } from './spawn-tree.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remora-kill-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

let count = 0
/** Runs a shell script in which `$note` appends a pid to a file, and waits until it has noted so many. */
async function start(script: string, expected: number) {
  const file = join(folder, `pids-${count++}`)
  const path = `${file}.sh`
  await writeFile(path, `note() { echo $1 >> '${file}'; }\n${script}`)
  const tree = await spawnTree({ command: 'sh', args: [path] })
  for (let tries = 0; tries < 3_000; tries++) {
    const noted = (await readFile(file, 'utf8').catch(() => '')).trim().split('\n').filter(Boolean)
    if (noted.length >= expected) return { tree, pids: noted.map(Number) }
    await sleep(10)
  }
  await tree.kill({ grace: 0 })
  throw new Error('the script did not start')
}

const running = async (pids: readonly number[]) => {
  const times = await Promise.all(pids.map((pid) => startTime(pid)))
  return pids.filter((_, index) => times[index] !== undefined)
}

describe('killTree', () => {
  it('ends a process that obeys the signal without force', async () => {
    const { tree, pids } = await start('note $$\nsleep 60 & note $!\nwait', 2)
    const result = await tree.kill({ grace: 30_000 })
    expect(result.forced).toEqual([])
    expect(result.left).toEqual([])
    expect(new Set(result.signalled)).toEqual(new Set(pids))
    expect(await running(pids)).toEqual([])
    expect(await tree.exited).toEqual({ code: null, signal: 'SIGTERM' })
  })

  it('kills a process that ignores the signal after the grace period', async () => {
    const { tree, pids } = await start('trap "" TERM\nnote $$\nwhile :; do sleep 0.05; done', 1)
    const began = Date.now()
    const result = await tree.kill({ grace: 300 })
    expect(Date.now() - began).toBeGreaterThanOrEqual(300)
    expect(result.forced).toContain(pids[0])
    expect(await running(pids)).toEqual([])
    expect((await tree.exited).signal).toBe('SIGKILL')
  })

  it('ends only descendants that started after a given time', async () => {
    const script = 'echo $$; sleep 60 & echo $!; read line; sleep 61 & echo $!; wait'
    const tree = await spawnTree({ command: 'sh', args: ['-c', script], stdin: 'pipe' })
    const noted = lines(tree.stdout)[Symbol.asyncIterator]()
    const nextPid = async (): Promise<number> => Number((await noted.next()).value)
    const [root, before] = [await nextPid(), await nextPid()]
    await sleep(100)
    const startedAfter = Date.now()
    await sleep(100)
    tree.stdin!.write('go\n')
    const after = await nextPid()
    const result = await tree.kill({ startedAfter, grace: 30_000 })
    expect(result).toEqual({ signalled: [after], forced: [], left: [] })
    expect(await running([root, before, after])).toEqual([root, before])
    await tree.kill({ grace: 0 })
  })

  it('ends a grandchild in its own session', async () => {
    const { tree, pids } = await start(
      `setsid sh -c 'echo $$ >> "$0"; exec sleep 60' '${folder}/inner' &
      while [ ! -s '${folder}/inner' ]; do sleep 0.01; done
      note $(cat '${folder}/inner')
      wait`,
      1,
    )
    expect(pids[0]).not.toBe(tree.pid)
    expect((await tree.kill()).left).toEqual([])
    expect(await running(pids)).toEqual([])
  })

  it('ends an orphan outside the group after the root has exited', async () => {
    const { tree, pids } = await start(
      `setsid sh -c 'echo $$ >> "$0"; exec sleep 60' '${folder}/orphan' &
      while [ ! -s '${folder}/orphan' ]; do sleep 0.01; done
      note $(cat '${folder}/orphan')`,
      1,
    )
    expect(await tree.exited).toEqual({ code: 0, signal: null })
    expect(await running(pids)).toEqual(pids)
    expect((await tree.kill()).signalled).toEqual(pids)
    expect(await running(pids)).toEqual([])
  })

  it('ends processes that start while others are ending', async () => {
    const { tree, pids } = await start(
      `trap 'setsid sleep 60 & note $!; exit 0' TERM
      note $$
      while :; do sleep 0.05; done`,
      1,
    )
    expect((await tree.kill({ grace: 30_000 })).left).toEqual([])
    await tree.exited
    const noted = (await readFile(join(folder, `pids-${count - 1}`), 'utf8')).trim().split('\n').map(Number)
    expect(noted.length).toBe(2)
    expect(await running([...pids, ...noted])).toEqual([])
  })

  it('does nothing if no process is left', async () => {
    const tree = await spawnTree({ command: 'true' })
    await tree.exited
    expect(await tree.kill()).toEqual({ signalled: [], forced: [], left: [] })
  })

  it('works with the process list of ps', async () => {
    const { tree, pids } = await start('note $$\nsleep 60 & note $!\nwait', 2)
    const began = (await readPs()).find((entry) => entry.pid === tree.pid)?.startTime
    expect(began).toBeDefined()
    const result = await killTree({ pid: tree.pid, startTime: began }, {}, readPs)
    expect(result.left).toEqual([])
    expect(await running(pids)).toEqual([])
  })

  it('does not end another process that reuses the pid', async () => {
    const { tree, pids } = await start('note $$\nwhile :; do sleep 0.05; done', 1)
    // The table says of a real process what it would say had the pid been given out again.
    const result = await killTree({ pid: tree.pid, startTime: 'an earlier time' }, { grace: 100 })
    expect(result.signalled).toEqual([])
    expect(await running(pids)).toEqual(pids)
    await tree.kill()
  })

  it('never ends itself or pid 1', async () => {
    const self: Entry = { pid: process.pid, parent: 1, group: 999_999_999, startTime: 'x' }
    const first: Entry = { pid: 1, parent: 0, group: 999_999_999, startTime: 'y' }
    const result = await killTree({ pid: 999_999_999, startTime: undefined }, { grace: 0 }, async () => [
      self,
      first,
    ])
    expect(result).toEqual({ signalled: [], forced: [], left: [] })
  })
})
