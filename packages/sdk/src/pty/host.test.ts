import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isAlive, listProcesses } from '../channels/terminal/process-list.ts'
import { eventually } from '../channels/terminal/terminal.test-data.ts'
import { HostConnection } from './host-connection.ts'
import { readExit } from './host-files.ts'
import { startHost } from './start-host.ts'
import type { HostMessage, HostSnapshot } from './wire.ts'

// Every test starts a host and a program, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 90_000 })

let folder: string
let socket: string
let opened: HostConnection[]
beforeEach(async () => {
  folder = await mkdtemp('/tmp/rt-')
  socket = join(folder, 's')
  opened = []
})
afterEach(async () => {
  for (const connection of opened)
    if (!connection.isOver) await connection.request({ do: 'remove' }).catch(() => {})
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  // A host whose folder is gone ends its agent and itself.
  await eventually(async () => ((await listHosts()).length === 0 ? true : undefined))
})

/** The processes of this test's host: host, leader and agent. */
async function listHosts(): Promise<string[]> {
  const all = [...(await listProcesses()).values()]
  return all.flatMap(({ argv }) => (argv.some((arg) => arg.includes(folder)) ? [argv.join(' ')] : []))
}

interface Opened {
  readonly connection: HostConnection
  readonly output: () => Buffer
  readonly messages: HostMessage['type'][]
}

async function start(script: string, columns = 80): Promise<Opened> {
  await startHost({
    socket,
    command: ['/bin/sh', '-c', script, folder],
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '' },
    run: 'run',
    mark: ['REMORA_RUN', 'run'],
    columns,
    rows: 24,
  })
  return attach()
}

async function attach(role: 'driver' | 'window' = 'driver'): Promise<Opened> {
  const chunks: Buffer[] = []
  const messages: HostMessage['type'][] = []
  const connection = await HostConnection.open(
    socket,
    { role },
    { output: (bytes) => chunks.push(Buffer.from(bytes)), message: ({ type }) => messages.push(type) },
  )
  opened.push(connection)
  return { connection, output: () => Buffer.concat(chunks), messages }
}

const capture = ({ connection }: Opened) => connection.request({ do: 'capture' })
/** The last capture, when its screen shows the text. */
async function captureShowing(host: Opened, text: string): Promise<HostSnapshot> {
  return eventually(async () => {
    const captured = await capture(host)
    return captured.screen.lines.join('\n').includes(text) ? captured : undefined
  })
}

/** The last capture, when the agent has ended. */
async function captureEnded(host: Opened): Promise<HostSnapshot> {
  return eventually(async () => {
    const captured = await capture(host)
    return captured.about.dead ? captured : undefined
  })
}

describe('a PTY host', () => {
  it('shows what the agent draws, in the shape of every other screen', async () => {
    const host = await start(String.raw`printf '\033]2;Title\007\033[3;5HGrüße 😀   '; read -r line`)
    await captureShowing(host, 'Grüße')
    const { screen, about } = await capture(host)
    expect(screen).toMatchObject({ title: 'Title', columns: 80, cursor: { x: 15, y: 2 } })
    expect(screen.lines).toHaveLength(24)
    expect(screen.lines[2]).toBe('    Grüße 😀')
    expect(about).toEqual({ pid: about.pid, run: 'run', dead: false })
    expect(isAlive(about.pid)).toBe(true)
    expect((await stat(socket)).mode & 0o777).toBe(0o600)
  })

  it('loses no output of a program that prints much and exits', async () => {
    for (let round = 0; round < 8; round++) {
      const host = await start(`sleep 0.1; seq 1 6000; exit ${round}`)
      await captureEnded(host)
      const { screen, about } = await capture(host)
      expect(about).toMatchObject({ code: round })
      expect(screen.lines.filter(Boolean).at(-1)).toBe('6000')
      await host.connection.request({ do: 'remove' })
      await host.connection.ended
    }
  })

  it('passes bytes as they are, also those that are not UTF-8', async () => {
    const host = await start(String.raw`read -r line; printf '\377\200x\303'; printf '\251END'; read -r line`)
    await host.connection.request({ do: 'press', key: { key: 'Enter' } })
    await expect.poll(() => host.output().includes('END'), { timeout: 60_000 }).toBe(true)
    expect(host.output().toString('latin1')).toContain('\u00FF\u0080x\u00C3\u00A9END')
  })

  it('continues an agent that Ctrl+Z has stopped', async () => {
    const host = await start('printf started; read -r line; echo "got $line"; read -r line')
    await captureShowing(host, 'started')
    await host.connection.request({ do: 'press', key: { key: 'C-z' } })
    await host.connection.request({ do: 'press', key: { text: 'more' } })
    await host.connection.request({ do: 'press', key: { key: 'Enter' } })
    await captureShowing(host, 'got')
    expect((await capture(host)).about.dead).toBe(false)
  })

  it('reports the signal that ended the agent', async () => {
    const host = await start('read -r line')
    process.kill((await capture(host)).about.pid, 'SIGKILL')
    await captureEnded(host)
    expect((await capture(host)).about).toMatchObject({ dead: true, signal: 'SIGKILL' })
  })

  it('presses a key only while the screen shows what was meant, and no other client holds the keyboard', async () => {
    const host = await start(`printf 'Allow [ls]? '; while read -r line; do echo "read $line."; done`)
    await captureShowing(host, 'Allow')
    const { connection } = host
    const window = await attach('window')
    const press = (text: string, shown: string[], held?: true) =>
      connection.request({ do: 'press', key: { text }, shown, ...(held ? { held } : {}) })
    expect(await press('a', ['Allow ?ls??'])).toEqual({ pressed: true })
    expect(await press('b', ['Allow ?ls??', 'Deny'])).toEqual({ pressed: false })
    expect(await press('c', [], true)).toEqual({ pressed: false })
    await connection.request({ do: 'hold' })
    window.connection.write(Buffer.from('x'))
    expect(await press('d', [], true)).toEqual({ pressed: true })
    // In order, so the key of the window was dropped when this reply arrives.
    window.connection.send({ type: 'request', id: 0, request: { do: 'capture' } })
    await expect.poll(() => window.output().includes('d'), { timeout: 60_000 }).toBe(true)
    await connection.request({ do: 'release' })
    window.connection.write(Buffer.from('e\r'))
    await captureShowing(host, 'read ade.')
  })

  it('draws the screen and the rows above it in a window, and then passes its keys and size', async () => {
    const host = await start('seq 1 50; read -r line; stty size; read -r line')
    await captureShowing(host, '50')
    const window = await attach('window')
    await expect.poll(() => window.output().includes('50'), { timeout: 60_000 }).toBe(true)
    expect(window.output().toString()).toContain('1\r\n2\r\n')
    window.connection.send({ type: 'size', columns: 101, rows: 31 })
    window.connection.write(Buffer.from('\r'))
    await captureShowing(host, '31 101')
    expect((await capture(host)).screen).toMatchObject({ columns: 101 })
    expect(host.messages).toContain('resized')
  })

  it('answers the terminal queries of an agent while no window does', async () => {
    const host = await start(
      String.raw`stty raw -echo; printf '\033[6n'; head -c 6 | od -c | head -1; stty sane; read -r line`,
    )
    const { screen } = await captureShowing(host, '[   1   ;   1   R')
    expect(screen.lines[0]).toContain('033')
  })

  it('sends a snapshot at its position in the output', async () => {
    const host = await start('read -r line; seq 1 20000; read -r line')
    let seen: { readonly at: number; readonly shown: string | undefined } | undefined
    await host.connection.request({ do: 'press', key: { key: 'Enter' } })
    for (let round = 0; round < 20; round++) {
      await host.connection.request({ do: 'capture' }, ({ screen }) => {
        seen = { at: host.output().length, shown: screen.lines.filter(Boolean).at(-1) }
      })
      const before = host.output().subarray(0, seen!.at).toString().trimEnd().split(/\s+/)
      expect(before.at(-1)?.trim()).toBe(seen!.shown ?? '')
    }
  })

  it('keeps the exit code for a client that comes later', async () => {
    const { connection } = await start('read -r line; exit 9')
    await connection.request({ do: 'press', key: { key: 'Enter' } })
    connection.close()
    await expect.poll(() => readExit(socket), { timeout: 60_000 }).toMatchObject({ dead: true, code: 9 })
    await expect.poll(() => readdirSync(folder), { timeout: 60_000 }).toEqual(['s.exit'])
    await expect(attach()).rejects.toMatchObject({ code: 'not_found' })
  })

  it('hangs up on the agent when it is killed', async () => {
    const host = await start(`trap 'echo hup >hup; exit' HUP; printf ready; while :; do sleep 0.1; done`)
    await captureShowing(host, 'ready')
    const { pid } = (await capture(host)).about
    const processes = await listProcesses()
    const leader = processes.get(processes.get(pid)!.parent)!
    process.kill(leader.parent, 'SIGKILL')
    await host.connection.ended
    await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false)
    expect(existsSync(join(folder, 'hup'))).toBe(true)
  })

  it('ends the agent when its folder is removed, since no client can reach it', async () => {
    const host = await start('read -r line')
    const { pid } = (await capture(host)).about
    await rm(folder, { recursive: true })
    await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false)
    await host.connection.ended
  })

  it('fails with a reason, and refuses a second host on its socket', async () => {
    const host = await start('read -r line')
    await expect(start('read -r line')).rejects.toMatchObject({ code: 'conflict' })
    await host.connection.request({ do: 'remove' })
    await host.connection.ended
    const missing = await start('exec /nowhere/program')
    await captureEnded(missing)
    expect((await capture(missing)).about).toMatchObject({ code: 127 })
    expect((await capture(missing)).screen.lines.join('')).toContain('/nowhere/program')
  })
})
