import { spawn, execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { RemoraError } from '@remora/protocol/plain'
import { onceClosed } from './once-closed.ts'
import { formatCommand } from './tmux-command.ts'

export interface TmuxRun {
  readonly socket: string
  /** Commands as lists of arguments. They are sent by stdin, so that other users see no secrets in the process list. */
  readonly commands: readonly (readonly string[])[]
  readonly cwd?: string
  /** Whether to start a server if none is running. */
  readonly start?: boolean
}

/** The longest path of a unix socket on macOS and Linux. */
const longestSocket = 103
const timeoutMs = 20_000
const endingTries = 20
const endingMs = 50

/**
 * Runs commands in a separate tmux client, never with the user's configuration, and returns their output.
 *
 * @example await runTmux({ socket, commands: [['list-panes', '-a', '-F', '#{pane_id}']] })
 */
export async function runTmux(run: TmuxRun): Promise<string> {
  checkSocket(run.socket)
  for (let left = run.start === true ? endingTries : 0; ; left--)
    try {
      return await runOnce(run)
    } catch (error) {
      // A server whose last session has ended takes a moment to exit, and drops clients that connect meanwhile.
      if (left === 0 || !RemoraError.is(error) || error.code !== 'not_found') throw error
      await sleep(endingMs)
    }
}

async function runOnce({ socket, commands, cwd, start = false }: TmuxRun): Promise<string> {
  // Without `start-server` a missing server is an error.
  const args = [...getBaseArguments(socket), ...(start ? ['start-server', ';'] : []), 'source-file', '-']
  const child = spawn('tmux', args, {
    cwd,
    env: getTmuxEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
    // The server must not end with our terminal.
    detached: true,
  })
  const output: Buffer[] = []
  const errors: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
  child.stdin.on('error', () => {})
  child.stdin.end(commands.map((args) => `${formatCommand(args)}\n`).join(''))
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      onceClosed(child, resolve)
    })
    const text = Buffer.concat(errors).toString('utf8').trim()
    if (code !== 0 || text !== '') throw createTmuxError(text || `it ended with ${code ?? 'a signal'}`)
  } catch (error) {
    throw RemoraError.is(error) ? error : createStartError(error, cwd)
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(output).toString('utf8')
}

/** The arguments of every tmux client: the socket, UTF-8 for any locale, and no configuration file. */
export function getBaseArguments(socket: string): string[] {
  return ['-u', '-f', '/dev/null', '-S', socket]
}

/** Only what tmux itself needs, since a server inherits the environment of its first client. */
export function getTmuxEnvironment(): Record<string, string> {
  const path = process.env['PATH']
  return { TERM: 'dumb', ...(path === undefined ? {} : { PATH: path }) }
}

export function createTmuxError(text: string): RemoraError {
  const gone = /no server running|error connecting|no sessions|server exited|lost server|can't find/.test(
    text,
  )
  return new RemoraError(
    gone ? 'not_found' : text.startsWith('duplicate session') ? 'conflict' : 'unknown',
    `tmux: ${text}`,
  )
}

export function createStartError(cause: unknown, cwd?: string): RemoraError {
  if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') {
    return new RemoraError('unknown', `tmux could not be started: ${(cause as Error).message}`, { cause })
  }
  return new RemoraError('config', 'tmux is not installed, which holds the terminals', {
    hint: `Install it (apt install tmux, brew install tmux)${cwd ? `, and see that ${cwd} is a folder` : ''}.`,
    cause,
  })
}

export function checkSocket(socket: string): void {
  if (Buffer.byteLength(socket) <= longestSocket) return
  throw new RemoraError(
    'config',
    `The path of the tmux socket is longer than ${longestSocket} bytes: ${socket}`,
    {
      hint: 'Set REMORA_HOME to a shorter folder.',
    },
  )
}

/** The first version that pauses a slow client and accepts variables for a new session. */
const minimum = [3, 2] as const

/** Throws if tmux is missing or too old. @example await checkTmux() */
export async function checkTmux(): Promise<void> {
  const { stdout } = await promisify(execFile)('tmux', ['-V']).catch((error: unknown) => {
    throw createStartError(error)
  })
  const version = stdout.trim().replace(/^tmux /, '')
  if (isRecent(version)) return
  throw new RemoraError('config', `tmux ${version} is too old for terminals`, {
    hint: `Install tmux ${minimum.join('.')} or later.`,
  })
}

/** @example isRecent('3.3a') // true */
export function isRecent(version: string): boolean {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? []
  // A development build has no version number.
  if (major === undefined) return true
  return Number(major) > minimum[0] || (Number(major) === minimum[0] && Number(minor) >= minimum[1])
}
