import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTime } from './process-table.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remora-guard-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A process of ours that starts a guarded tree with a grandchild in a session of its own, and then does as told. */
async function owner(
  name: string,
  then: string,
): Promise<{ pid: number; tree: number[]; exited: Promise<unknown> }> {
  const pids = join(folder, name)
  const main = join(folder, `${name}.ts`)
  // Marked and detached as `spawnTree` does it; that one cannot be loaded here before anything is built.
  const shell = `setsid sleep 60 & echo $! >> '${pids}'; echo $$ >> '${pids}'; wait`
  await writeFile(
    main,
    `import { spawn } from 'node:child_process'
     import { appendFileSync } from 'node:fs'
     import { guardTree } from ${JSON.stringify(new URL('./guard-tree.ts', import.meta.url).pathname)}
     const env = { ...process.env, REMORA_RUN: 'outer:run-${name}' }
     const tree = spawn('sh', ['-c', ${JSON.stringify(shell)}], { detached: true, env, stdio: 'ignore' })
     const release = guardTree({ pid: tree.pid, run: 'run-${name}' })
     appendFileSync(${JSON.stringify(`${pids}-guarded`)}, '')
     ${then}`,
  )
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), main], { stdio: 'inherit' })
  const exited = once(child, 'exit')
  for (let tries = 0; tries < 2_000; tries++) {
    const noted = (await readFile(pids, 'utf8').catch(() => ''))
      .trim()
      .split('\n')
      .filter(Boolean)
      .map(Number)
    // The tree may have begun before it was guarded.
    if (noted.length === 2 && existsSync(`${pids}-guarded`)) return { pid: child.pid!, tree: noted, exited }
    await sleep(20)
  }
  throw new Error('the owner did not start')
}

async function gone(pids: readonly number[]): Promise<boolean> {
  for (let tries = 0; tries < 1_500; tries++) {
    const times = await Promise.all(pids.map((pid) => startTime(pid)))
    if (times.every((time) => time === undefined)) return true
    await sleep(20)
  }
  return false
}

describe('guardTree', () => {
  it('ends the tree of a process that was killed', { timeout: 120_000 }, async () => {
    const { pid, tree, exited } = await owner('killed', 'setInterval(() => {}, 1000)')
    process.kill(pid, 'SIGKILL')
    await exited
    expect(await gone(tree)).toBe(true)
  })

  it(
    'leaves a tree alone that was released, and does not keep its owner alive',
    { timeout: 120_000 },
    async () => {
      const { tree, exited } = await owner('released', 'release(); setTimeout(() => process.exit(0), 300)')
      await exited
      await sleep(1500)
      const times = await Promise.all(tree.map((pid) => startTime(pid)))
      expect(times.every((time) => time !== undefined)).toBe(true)
      for (const pid of tree) process.kill(pid, 'SIGKILL')
    },
  )
})
