import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repository } from '../clis.ts'
import { listProcesses } from '../leftovers.ts'

const script = join(repository, 'scripts', 'fixtures.mjs')
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remora-recorder-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('npm run fixtures', () => {
  it('finds no drift in a quick run', async () => {
    const { child, output } = start('--check', '--smoke')
    const [[code], said] = await Promise.all([once(child, 'close'), output])
    expect(said).toContain('No drift')
    expect(code).toBe(0)
  })

  it('refuses what it does not know, with what to do', async () => {
    const { child, output } = start('--channel', 'smoke-signals')
    const [[code], said] = await Promise.all([once(child, 'close'), output])
    expect(said).toContain('Use stream, session, hooks, acp, screen.')
    expect(code).toBe(2)
  })

  it('cleans up when it is stopped', async () => {
    const { child, output } = start('--check', '--agent', 'claude', '--channel', 'screen')
    // Late enough for a home and a terminal to be there.
    await expect.poll(() => listProcesses(folder), { timeout: 60_000 }).not.toHaveLength(0)
    await expect
      .poll(() => readdir(folder), { timeout: 60_000 })
      .toContainEqual(expect.stringMatching(/^remora-tmux-/))
    child.kill('SIGTERM')
    const [[code]] = await Promise.all([once(child, 'close'), output])
    expect(code).toBe(130)
    expect((await readdir(folder)).filter((name) => name.startsWith('remora-'))).toEqual([])
    expect(await listProcesses(folder)).toEqual([])
  })
})

/** Runs the command with a temp folder of its own, which shows what is left. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [script, ...args], { env: { ...process.env, TMPDIR: folder } })
  const output = Promise.all([text(child.stdout), text(child.stderr)]).then((parts) => parts.join(''))
  return { child, output }
}
