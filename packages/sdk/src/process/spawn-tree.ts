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
  /** A program, or a JavaScript file, which is run by the Node in use. */
  readonly command: string
  readonly args?: readonly string[]
  readonly cwd?: string
  /** The whole environment; that of this process where it is left out. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Written to stdin, which is then closed. */
  readonly input?: string
  /** Without `input`: whether the caller writes to stdin. Else it is empty. */
  readonly stdin?: 'pipe' | 'ignore'
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A running process with all that it starts. */
export interface Tree {
  readonly pid: number
  /** The mark that its descendants carry in their environment. */
  readonly run: string
  readonly stdin: Writable | null
  readonly stdout: Readable
  readonly stderr: Readable
  /** Settles when the first process has ended; never rejects. Its output may still be under way. */
  readonly exited: Promise<Exit>
  /** Ends every process of the tree, gently and then by force. */
  kill(options?: KillOptions): Promise<KillResult>
}

/**
 * Starts a program in a process group of its own, so that it can be stopped with all that it starts.
 * Rejects with a RemoraError when it cannot be started; nothing is ever thrown elsewhere.
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
  // Listened to at once: an exit must not happen unseen.
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  // The process may end before it has read everything (EPIPE), which `exited` tells better.
  child.stdin?.on('error', () => {})
  if (options.input !== undefined) child.stdin?.end(options.input)
  const root = { pid, run, startTime: await startTime(pid) }
  return { pid, run, stdin: child.stdin, stdout, stderr, exited, kill: (how) => killTree(root, how) }
}

// Node throws away what nobody reads when the process ends, so a reader that comes a moment later would see nothing.
// A stream with this kind of listener keeps its data until it is asked for; it steps aside for one of the other kind.
function keepData(stream: Readable): Readable {
  const hold = (): void => {}
  stream.on('readable', hold)
  stream.on('newListener', (name) => {
    if (name === 'data') stream.off('readable', hold)
  })
  return stream
}

/** Its output is always piped; its input only where somebody writes to it. */
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
        // A group and session of its own; on Windows it would open a console window instead.
        detached: process.platform !== 'win32',
        windowsHide: true,
        stdio: [options.input === undefined ? (options.stdin ?? 'ignore') : 'pipe', 'pipe', 'pipe'],
      },
    )
    // Rejects on 'error', which is how a missing program and a bad folder are told.
    await once(child, 'spawn')
    // Later errors are those of signals that could not be delivered.
    child.on('error', () => {})
    return child as Child
  } catch (error) {
    throw await toSpawnError(error, options)
  }
}
