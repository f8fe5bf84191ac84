import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { spawnTree } from './spawn-tree.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remora-spawn-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('spawnTree', () => {
  it('returns streams and the exit code', async () => {
    const tree = await spawnTree({
      command: 'sh',
      args: ['-c', 'cat; echo oops >&2; exit 3'],
      input: 'héllo',
    })
    const [out, err, exit] = await Promise.all([text(tree.stdout), text(tree.stderr), tree.exited])
    expect({ out, err, exit }).toEqual({ out: 'héllo', err: 'oops\n', exit: { code: 3, signal: null } })
  })

  it('keeps the output for a reader that starts after the exit', async () => {
    const tree = await spawnTree({ command: 'sh', args: ['-c', 'echo out; echo err >&2'] })
    await tree.exited
    await sleep(50)
    expect([await text(tree.stdout), await text(tree.stderr)]).toEqual(['out\n', 'err\n'])
  })

  it('supports readers that listen for data events', async () => {
    const tree = await spawnTree({ command: 'sh', args: ['-c', 'echo a; echo b'] })
    await tree.exited
    let text = ''
    tree.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
    await once(tree.stdout, 'end')
    expect(text).toBe('a\nb\n')
  })

  it('returns the signal that ended the process', async () => {
    const tree = await spawnTree({ command: 'sh', args: ['-c', 'kill -KILL $$'] })
    expect(await tree.exited).toEqual({ code: null, signal: 'SIGKILL' })
  })

  it('starts a process group with the marks of this run and the outer run', async () => {
    const tree = await spawnTree({
      command: 'sh',
      args: ['-c', 'echo "$REMORA_RUN $KEPT"; ps -o pgid= -p $$'],
      env: { PATH: process.env['PATH'], REMORA_RUN: 'outer', KEPT: 'yes', DROPPED: undefined },
    })
    const [first, group] = (await text(tree.stdout)).trim().split('\n')
    expect(first).toBe(`outer:${tree.run} yes`)
    expect(Number(group)).toBe(tree.pid)
  })

  it('runs a JavaScript file with the Node in use', async () => {
    const script = join(folder, 'entry.mjs')
    await writeFile(script, 'console.log(process.execPath, process.argv[2])')
    const tree = await spawnTree({ command: script, args: ['x'] })
    expect(await text(tree.stdout)).toBe(`${process.execPath} x\n`)
  })

  it('survives a program that does not read its input', async () => {
    const tree = await spawnTree({ command: 'true', input: 'x'.repeat(1_000_000) })
    expect(await tree.exited).toEqual({ code: 0, signal: null })
  })

  it('closes stdin unless a pipe is requested', async () => {
    const quiet = await spawnTree({ command: 'cat' })
    expect(quiet.stdin).toBeNull()
    expect(await quiet.exited).toEqual({ code: 0, signal: null })
    const open = await spawnTree({ command: 'cat', stdin: 'pipe' })
    open.stdin?.end('typed')
    expect(await text(open.stdout)).toBe('typed')
  })

  it.each([
    ['a missing program', () => ({ command: join(folder, 'nothing') }), 'agent_missing', 'nothing'],
    [
      'a missing folder',
      () => ({ command: 'true', cwd: join(folder, 'gone') }),
      'input',
      'gone does not exist',
    ],
    ['a file as folder', () => ({ command: 'true', cwd: join(folder, 'plain') }), 'input', 'is not a folder'],
    ['a file without the right', () => ({ command: join(folder, 'plain') }), 'permission', 'may not be run'],
    ['a huge argument', () => ({ command: 'true', args: ['x'.repeat(3_000_000)] }), 'input', 'too long'],
    ['a NUL in an argument', () => ({ command: 'true', args: ['a\0b'] }), 'crashed', 'could not be started'],
  ])('reports %s', async (_name, options, code, message) => {
    await writeFile(join(folder, 'plain'), 'no program')
    await chmod(join(folder, 'plain'), 0o644)
    await expect(spawnTree(options())).rejects.toMatchObject({
      name: 'RemoraError',
      code,
      message: expect.stringContaining(message),
      hint: expect.stringMatching(/\w/),
    })
  })
})
