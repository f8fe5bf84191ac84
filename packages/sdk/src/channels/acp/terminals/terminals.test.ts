import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTime } from '../../../process/process-table.ts'
import { Terminals } from './terminals.ts'
import { Tail } from './terminal.ts'
import fc from 'fast-check'

let folder: string
let root: string
let terminals: Terminals
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'remora-terminals-')))
  root = join(folder, 'work')
  await mkdir(join(root, 'sub'), { recursive: true })
  await mkdir(join(folder, 'work-other'))
  terminals = new Terminals(root)
})
afterEach(async () => {
  await terminals.closeAll()
  await rm(folder, { recursive: true, force: true })
})

const code = (code: string) => expect.objectContaining({ code })
const shell = (script: string, more = {}) =>
  terminals.create({ command: 'sh', args: ['-c', script], ...more })

async function finished(params: { terminalId: string }) {
  await terminals.waitForExit(params)
  return terminals.output(params)
}

/** Waits until a command has written this many pids to a file of the workspace. */
async function noted(name: string, count: number): Promise<number[]> {
  for (let tries = 0; tries < 3_000; tries++) {
    const pids = (await readFile(join(root, name), 'utf8').catch(() => '')).trim().split('\n').filter(Boolean)
    if (pids.length >= count) return pids.map(Number)
    await sleep(10)
  }
  throw new Error(`nothing was noted in ${name}`)
}

const running = async (pids: readonly number[]) =>
  (await Promise.all(pids.map((pid) => startTime(pid)))).filter((time) => time !== undefined).length

describe('Terminals', () => {
  it('runs a command in the workspace and reports its exit status', async () => {
    const one = await terminals.create({ command: 'sh', args: ['-c', 'pwd; echo "err é" >&2; exit 3'] })
    expect(await terminals.waitForExit(one)).toEqual({ exitCode: 3, signal: null })
    const { output, ...rest } = terminals.output(one)
    expect(output.split('\n').toSorted()).toEqual(['', root, 'err é'])
    expect(rest).toEqual({ truncated: false, exitStatus: { exitCode: 3, signal: null } })
  })

  it('sets its folder and variables', async () => {
    const env = [
      { name: 'WORD', value: 'a b' },
      { name: 'REMORA_RUN', value: 'hidden' },
    ]
    const one = await shell('pwd; echo "$WORD"; echo "$REMORA_RUN"', { cwd: join(root, 'sub'), env })
    const [cwd, word, mark] = (await finished(one)).output.split('\n')
    expect([cwd, word]).toEqual([join(root, 'sub'), 'a b'])
    expect(mark).not.toContain('hidden')
  })

  it('uses only the given environment', async () => {
    terminals = new Terminals(root, { env: { PATH: process.env['PATH'], OWN: 'yes' } })
    const one = await shell('echo "$OWN-$HOME"')
    expect((await finished(one)).output).toBe('yes-\n')
  })

  it('accepts a shell line, and a program with a space in its name', async () => {
    const line = await terminals.create({ command: 'echo one && echo two | tr o 0' })
    expect((await finished(line)).output).toBe('one\ntw0\n')
    const program = join(root, 'my program')
    await writeFile(program, '#!/bin/sh\necho started', { mode: 0o755 })
    expect((await finished(await terminals.create({ command: program }))).output).toBe('started\n')
  })

  it('shows output while it runs, and keeps its end', async () => {
    const one = await shell('printf "€€€"; echo $$ > ready; sleep 60', { outputByteLimit: 8 })
    await noted('ready', 1)
    for (let tries = 0; terminals.output(one).output === '' && tries < 3_000; tries++) await sleep(10)
    expect(terminals.output(one)).toEqual({ output: '€€', truncated: true, exitStatus: null })
    await terminals.kill(one)
    expect(terminals.output(one).exitStatus).toEqual({ exitCode: null, signal: 'SIGTERM' })
  })

  it('keeps no more output than configured, whatever the agent requests', async () => {
    terminals = new Terminals(root, { outputBytes: 1000 })
    const one = await shell('yes | head -c 500000; printf end', { outputByteLimit: 10_000_000 })
    const { output, truncated } = await finished(one)
    expect([output.length, output.slice(-4), truncated]).toEqual([1000, '\nend', true])
  })

  it('does not wait for leftover processes, and ends them on release', async () => {
    const one = await shell('sleep 60 & echo $! > left; echo done')
    expect(await terminals.waitForExit(one)).toEqual({ exitCode: 0, signal: null })
    const left = await noted('left', 1)
    expect(await running(left)).toBe(1)
    await terminals.release(one)
    expect(await running(left)).toBe(0)
    expect(() => terminals.output(one)).toThrow(code('not_found'))
  })

  it('kills all processes of a command, also those that left its group or ignore SIGTERM', async () => {
    const one = await shell(`setsid sh -c 'trap "" TERM; echo $$ >> pids; while :; do sleep 0.05; done' &
      echo $$ >> pids; wait`)
    const pids = await noted('pids', 2)
    const waiting = terminals.waitForExit(one)
    expect(await terminals.kill(one)).toEqual({})
    expect(await running(pids)).toBe(0)
    expect((await waiting).exitCode).not.toBe(0)
  })

  it('leaves no process when the session is closed, not even a starting one', async () => {
    const first = await shell('echo $$ >> pids; sleep 60')
    const waiting = terminals.waitForExit(first)
    await noted('pids', 1)
    const starting = shell('echo $$ >> pids; sleep 60')
    const refused = starting.catch((error: unknown) => error)
    await terminals.closeAll()
    expect(await refused).toEqual(code('aborted'))
    expect(await running(await noted('pids', 1))).toBe(0)
    expect((await waiting).signal).toBe('SIGTERM')
    await expect(shell('true')).rejects.toEqual(code('aborted'))
  })

  it('stops waiting when the signal aborts', async () => {
    const one = await shell('sleep 60')
    const controller = new AbortController()
    const waiting = terminals.waitForExit(one, controller.signal)
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    await expect(terminals.waitForExit(one, controller.signal)).rejects.toThrow('enough')
    expect(terminals.output(one).exitStatus).toBeNull()
  })

  it('limits the number of terminals; an ended one makes room', async () => {
    terminals = new Terminals(root, { most: 2 })
    const first = await shell('true')
    const [second] = await Promise.all([shell('sleep 60'), terminals.waitForExit(first)])
    const third = await shell('sleep 60')
    expect(() => terminals.output(first)).toThrow(code('not_found'))
    await expect(shell('true')).rejects.toEqual(code('conflict'))
    await terminals.release(second)
    await shell('true')
    expect(terminals.output(third).exitStatus).toBeNull()
  })

  it('refuses a folder outside of the workspace, and an invalid command', async () => {
    await symlink(join(folder, 'work-other'), join(root, 'out'))
    for (const cwd of [folder, `${root}/..`, `${root}-other`, join(root, 'out'), '/'])
      await expect(shell('true', { cwd }), cwd).rejects.toEqual(code('permission'))
    await expect(shell('true', { cwd: 'sub' })).rejects.toEqual(code('input'))
    await expect(shell('true', { cwd: join(root, 'none') })).rejects.toEqual(code('not_found'))
    await expect(terminals.create({ command: 'no-such-program' })).rejects.toEqual(code('not_found'))
    for (const params of [
      {},
      { command: ' ' },
      { command: 'echo', args: [1] },
      { command: 'echo', args: 'a' },
      { command: 'echo', args: ['a\0b'] },
      { command: 'echo', env: [{ name: 'A=B', value: '' }] },
      { command: 'echo', env: [{ name: 'A' }] },
    ])
      await expect(terminals.create(params), JSON.stringify(params)).rejects.toEqual(code('input'))
  })

  it.each(['output', 'waitForExit', 'kill', 'release'] as const)(
    'rejects an unknown terminal: %s',
    async (method) => {
      for (const params of [{ terminalId: 'x' }, {}])
        await expect((async () => terminals[method](params))()).rejects.toEqual(code('not_found'))
    },
  )
})

describe('Tail', () => {
  it('keeps everything that fits', () => {
    const tail = new Tail(6)
    tail.add(Buffer.from('hé'))
    tail.add(Buffer.from('llo'))
    expect([tail.toString(), tail.truncated]).toEqual(['héllo', false])
  })

  it('drops a cut character', () => {
    const tail = new Tail(5)
    tail.add(Buffer.from('aé😀'))
    expect([tail.toString(), tail.truncated]).toEqual(['😀', true])
    tail.add(Buffer.from('b'))
    expect(tail.toString()).toBe('😀b')
  })

  it('is the end of the text in whole characters, however it is chunked', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\n'), maxLength: 12 })
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(40), (pieces, limit) => {
        const tail = new Tail(limit)
        for (const text of pieces) tail.add(Buffer.from(text))
        const text = pieces.join('')
        const shown = tail.toString()
        expect(text.endsWith(shown)).toBe(true)
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(limit)
        expect(tail.truncated).toBe(Buffer.byteLength(text) > limit)
        if (!tail.truncated) expect(shown).toBe(text)
        // One more character would be too much.
        else expect(Buffer.byteLength(shown)).toBeGreaterThan(limit - 4)
      }),
    )
  })
})
