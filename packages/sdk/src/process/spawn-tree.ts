import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { stat } from 'node:fs/promises'
import { RemoraError } from '@remora/protocol/plain'
import { type KillOptions, type KillResult, killTree } from './kill-tree.ts'
import { startTime, joinMarks, runVariable } from './process-table.ts'

/** The program to start and its environment. */
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

/** How a process ended. */
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

/** Converts a system error at the start of a program to an error that the user can act on. */
async function toSpawnError(
  cause: unknown,
  request: { command: string; cwd?: string | undefined },
): Promise<RemoraError> {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  const { command, cwd } = request
  // The system reports a missing folder as a missing program, so the folder is checked first.
  const folder = cwd === undefined ? 'fine' : await checkFolder(cwd)
  if (folder === 'missing') {
    return new RemoraError('input', `The folder ${cwd} does not exist`, {
      hint: 'Give an existing folder as the working directory.',
      cause,
    })
  }
  if (folder === 'file') {
    return new RemoraError('input', `${cwd} is not a folder`, {
      hint: 'Give a folder, not a file, as the working directory.',
      cause,
    })
  }
  if (code === 'ENOENT') {
    return new RemoraError('agent_missing', `There is no program ${command}`, {
      hint: 'Install it, or check its path. A script also needs the interpreter of its first line.',
      cause,
    })
  }
  if (code === 'EACCES') {
    return new RemoraError(
      'permission',
      `${command} may not be run, or ${cwd ?? 'the folder'} not be entered`,
      {
        hint: `Check the rights of both, for example with: ls -l ${command}`,
        cause,
      },
    )
  }
  if (code === 'E2BIG') {
    return new RemoraError('input', `The arguments for ${command} are too long for the system`, {
      hint: 'Pass long text through stdin; one argument holds 128 KiB on Linux.',
      cause,
    })
  }
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new RemoraError('crashed', `${command} could not be started: ${reason}`, {
    hint: 'Check that the program runs when you start it by hand.',
    cause,
  })
}

async function checkFolder(path: string): Promise<'fine' | 'missing' | 'file'> {
  try {
    return (await stat(path)).isDirectory() ? 'fine' : 'file'
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOTDIR') return 'file'
    return code === 'ENOENT' ? 'missing' : 'fine'
  }
}
