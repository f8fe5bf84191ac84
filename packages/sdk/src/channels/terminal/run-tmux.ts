import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import { onceClosed } from './once-closed.ts'
import { command } from './tmux-words.ts'

export interface TmuxRun {
  readonly socket: string
  /** Commands, each as its words. They travel by standard input: other users see no secret in the list of processes. */
  readonly commands: readonly (readonly string[])[]
  readonly cwd?: string
  /** Whether a server is started where there is none. */
  readonly start?: boolean
}

/** The longest path that a unix socket can have on the systems we know. */
const longestSocket = 103
const patienceMs = 20_000
const endingTries = 20
const endingMs = 50

/**
 * Runs commands by a tmux of its own, never with the user's configuration, and gives what they print.
 *
 * @example await runTmux({ socket, commands: [['list-panes', '-a', '-F', '#{pane_id}']] })
 */
export async function runTmux(run: TmuxRun): Promise<string> {
  checkSocket(run.socket)
  for (let left = run.start === true ? endingTries : 0; ; left--)
    try {
      return await runOnce(run)
    } catch (error) {
      // A server whose last session has ended takes a moment to go, and with it whoever comes in that moment.
      if (left === 0 || !RemoraError.is(error) || error.code !== 'not_found') throw error
      await sleep(endingMs)
    }
}

async function runOnce({ socket, commands, cwd, start = false }: TmuxRun): Promise<string> {
  // `start-server` is what makes tmux start one; without it a missing server is an error.
  const args = [...baseArguments(socket), ...(start ? ['start-server', ';'] : []), 'source-file', '-']
  const child = spawn('tmux', args, {
    cwd,
    env: tmuxEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
    // A server that it starts must not end with our terminal.
    detached: true,
  })
  const output: Buffer[] = []
  const errors: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
  child.stdin.on('error', () => {})
  child.stdin.end(commands.map((words) => `${command(words)}\n`).join(''))
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      onceClosed(child, resolve)
    })
    const text = Buffer.concat(errors).toString('utf8').trim()
    if (code !== 0 || text !== '') throw tmuxError(text || `it ended with ${code ?? 'a signal'}`)
  } catch (error) {
    throw RemoraError.is(error) ? error : startError(error, cwd)
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(output).toString('utf8')
}

/** What stands before every command: our socket, UTF-8 whatever the locale says, and nobody's configuration. */
export function baseArguments(socket: string): string[] {
  return ['-u', '-f', '/dev/null', '-S', socket]
}

/** What tmux itself needs. The environment of a server is that of its first client, so nothing else may be in it. */
export function tmuxEnvironment(): Record<string, string> {
  const path = process.env['PATH']
  return { TERM: 'dumb', ...(path === undefined ? {} : { PATH: path }) }
}

export function tmuxError(text: string): RemoraError {
  const gone = /no server running|error connecting|no sessions|server exited|lost server|can't find/.test(
    text,
  )
  return new RemoraError(
    gone ? 'not_found' : text.startsWith('duplicate session') ? 'conflict' : 'unknown',
    `tmux: ${text}`,
  )
}

export function startError(cause: unknown, cwd?: string): RemoraError {
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
