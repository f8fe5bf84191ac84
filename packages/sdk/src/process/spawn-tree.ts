import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { killTree } from './kill-tree.ts'
import type { KillOptions, KillResult } from './kill-tree.ts'
import { startTime } from './process-table.ts'
import { joinMarks, runVariable } from './run-mark.ts'
import { toSpawnError } from './spawn-error.ts'

export interface SpawnOptions {
  /** A program, or a JavaScript file, which runs with this Node.js. */
  readonly command: string
  readonly args?: readonly string[]
  readonly cwd?: string
  /** The complete environment; the one of this process by default. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Written to stdin, which is then closed. */
  readonly input?: string
  /** Without `input`: whether the caller writes to stdin; empty by default. */
  readonly stdin?: 'pipe' | 'ignore'
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A running process and all its descendants. */
export interface Tree {
  readonly pid: number
  /** The mark that its descendants carry in their environment. */
  readonly run: string
  readonly stdin: Writable | null
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves when the root process has exited, possibly before all output was read. Never rejects. */
  readonly exited: Promise<Exit>
  /** Ends every process of the tree: first by a signal, then by SIGKILL. */
  kill(options?: KillOptions): Promise<KillResult>
}

/**
 * Starts a program in its own process group, so that it can be ended with all its descendants. Rejects with a RemoraError
 * if it cannot be started.
 *
 * @example
 * const tree = await spawnTree({ command: 'gemini', args: ['--output-format', 'stream-json'], input: 'hi' })
 * for await (const line of lines(tree.stdout)) console.log(line)
 * await tree.kill()
 */
export async function spawnTree(options: SpawnOptions): Promise<Tree> {
  const run = randomUUID()
  const child = await start(options, run)
  const { pid } = child
  if (pid === undefined) throw await toSpawnError(new Error('no process'), options)
  const stdout = keepData(child.stdout)
  const stderr = keepData(child.stderr)
  // Listen before the first await, so that no exit is missed.
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  // Ignore EPIPE: the process may exit before it has read all input.
  child.stdin?.on('error', () => {})
  if (options.input !== undefined) child.stdin?.end(options.input)
  const root = { pid, run, startTime: await startTime(pid) }
  return { pid, run, stdin: child.stdin, stdout, stderr, exited, kill: (how) => killTree(root, how) }
}

// Node.js discards unread output when the process exits, so a later reader would get nothing. A `readable` listener keeps
// the data; it is removed when a `data` listener is added.
function keepData(stream: Readable): Readable {
  const hold = (): void => {}
  stream.on('readable', hold)
  stream.on('newListener', (name) => {
    if (name === 'data') stream.off('readable', hold)
  })
  return stream
}

/** Output is always piped; input only if the caller writes to it. */
type Child = ChildProcessByStdio<Writable | null, Readable, Readable>

async function start(options: SpawnOptions, run: string): Promise<Child> {
  const outer = options.env ?? process.env
  const script = /\.[cm]?js$/i.test(options.command)
  try {
    const child = spawn(
      script ? process.execPath : options.command,
      [...(script ? [options.command] : []), ...(options.args ?? [])],
      {
        cwd: options.cwd,
        env: { ...outer, [runVariable]: joinMarks(outer[runVariable], run) },
        // Its own group and session; on Windows this would open a console window.
        detached: process.platform !== 'win32',
        windowsHide: true,
        stdio: [options.input === undefined ? (options.stdin ?? 'ignore') : 'pipe', 'pipe', 'pipe'],
      },
    )
    // Rejects on 'error', which reports a missing program or folder.
    await once(child, 'spawn')
    // Later errors are undeliverable signals.
    child.on('error', () => {})
    return child as Child
  } catch (error) {
    throw await toSpawnError(error, options)
  }
}
