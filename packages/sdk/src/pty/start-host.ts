import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { parse } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { RemoraError } from '@remora/protocol/plain'
import { findProgram } from './find-program.ts'
import { type HostSpec, removeHostFiles } from './host-files.ts'
import { connect } from './host-connection.ts'

const startMs = 60_000
const maxErrorLength = 4_000

/**
 * Starts a PTY host, which outlives this process. Resolves when it listens on its socket.
 *
 * @example await startHost(spec)
 */
export async function startHost(spec: HostSpec): Promise<void> {
  checkPty()
  if (await isListening(spec.socket))
    throw new RemoraError('conflict', `A terminal host is already running at ${spec.socket}`)
  await removeHostFiles(spec.socket)
  const child = spawn(process.execPath, [findProgram('pty-host')], {
    // Not the folder of the session, which may be removed.
    cwd: parse(process.execPath).root,
    // In a session of its own, so that it outlives the window.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    // The mark of the agent's run is not ours: ending the run must not end the host before it has read all.
    env: { PATH: process.env['PATH'] },
  })
  child.stdin.on('error', () => {})
  try {
    await once(child, 'spawn')
    child.stdin.end(JSON.stringify(spec))
    await waitForReady(child)
  } catch (error) {
    child.kill('SIGKILL')
    throw RemoraError.is(error) ? error : createStartError((error as Error).message)
  } finally {
    for (const stream of [child.stdout, child.stderr]) stream.destroy()
    child.unref()
  }
}

/** Waits until the host listens, which it reports by its first output. */
async function waitForReady(child: ChildProcessByStdio<Writable, Readable, Readable>): Promise<void> {
  let errors = ''
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (errors = (errors + text).slice(-maxErrorLength)))
  const late = AbortSignal.timeout(startMs)
  try {
    const ready = once(child.stdout, 'data', { signal: late }).then(() => true)
    const ended = once(child, 'close', { signal: late }).then(() => false)
    if (!(await Promise.race([ready, ended]))) throw createStartError(errors)
  } catch (error) {
    if (!late.aborted) throw error
    throw new RemoraError(
      'timeout_startup',
      `The terminal host was not ready within ${startMs / 1000} seconds`,
    )
  }
}

/** Throws if this system has no prebuilt pseudo-terminal. @example checkPty() */
export function checkPty(): void {
  try {
    // Only finds it: the binary itself is for the host process.
    const own = createRequire(import.meta.url)
    const { platform, arch } = process
    if (platform === 'win32') throw new Error('Not tried on Windows')
    createRequire(own.resolve('@lydell/node-pty')).resolve(`@lydell/node-pty-${platform}-${arch}/pty.node`)
  } catch (cause) {
    throw new RemoraError('config', 'This system has no pseudo-terminals for Remora', {
      hint: 'Install tmux, or reinstall Remora with its optional dependencies.',
      cause,
    })
  }
}

async function isListening(socket: string): Promise<boolean> {
  const connection = await connect(socket).catch(() => undefined)
  connection?.destroy()
  return connection !== undefined
}

function createStartError(text: string): RemoraError {
  const message = text
    .trim()
    .split('\n')
    .findLast((line) => /error/i.test(line))
  return new RemoraError('crashed', 'The terminal host ended before it was ready', {
    hint: message ?? 'Use tmux instead: remora new --terminal tmux',
  })
}
