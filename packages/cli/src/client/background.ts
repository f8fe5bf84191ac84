import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, open, readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { RemoraError } from '@remora/protocol/plain'
import type { Io } from '../command/io.ts'
import { homePath } from '../output/home-path.ts'
import { oneLine } from '../output/one-line.ts'
import { showWaiting } from '../output/show-waiting.ts'
import { serverHealth } from './server-client.ts'
import { logPath, readNote } from './server-note.ts'
import { prepareStateFolder } from './state-folder.ts'

/** Startup can be slow on a busy machine. */
const startMs = 60_000
/** Delay before a retry after another server won the start, because that one may be stopping. */
const againMs = 500
const lookMs = 50

/**
 * The command line that starts this program.
 *
 * @example ['/usr/bin/node', '/usr/lib/node_modules/@remora/cli/bin/remora.mjs']
 */
export function ownCommand(io: Pick<Io, 'self'>): readonly string[] {
  return io.self ?? [process.execPath, fileURLToPath(new URL('../../bin/remora.mjs', import.meta.url))]
}

/** Printed with stored data that a server would update. */
export const notRunning =
  'The server is not running: this is what it stored last.\n  Start it: remora serve\n'

/** Starts the server if none is running, and prints one line. @example await ensureServer(io) */
export async function ensureServer(io: Io): Promise<void> {
  if (await serverHealth(io)) return
  const url = await showWaiting('Starting the Remora server…', io, () => startInBackground(io))
  io.err(`Started the Remora server in the background: ${url} (stop it: remora stop)\n`)
}

/** Starts a server that outlives this command. Resolves to its URL once it answers. */
export async function startInBackground(io: Io, options: readonly string[] = []): Promise<string> {
  await prepareStateFolder(io)
  const log = logPath(io)
  await mkdir(dirname(log), { recursive: true, mode: 0o700 })
  let attempt = await begin(io, options, log)
  const stopped = io.stopped?.()
  for (const until = Date.now() + startMs; Date.now() < until; await sleep(lookMs)) {
    const last = attempt.ended !== undefined
    // The server answers slightly before it writes its note.
    const note = (await serverHealth(io)) && (await readNote(io))
    if (note) {
      // If another server won, ours would start when that one stops.
      if (note.pid !== attempt.child.pid) attempt.child.kill()
      return note.url
    }
    if (stopped?.aborted) throw new RemoraError('aborted', 'Cancelled while the server was starting')
    if (!last) continue
    if (!/already running/.test(await readTail(log, attempt.before))) break
    await sleep(againMs)
    attempt = await begin(io, options, log)
  }
  throw await startFailure(attempt, log, io)
}

/** A starting server, and the size of the log before it. */
interface Attempt {
  readonly child: ChildProcess
  readonly before: number
  /** Why it exited. */
  ended?: string
}

async function begin(io: Io, options: readonly string[], log: string): Promise<Attempt> {
  const file = await open(log, 'a', 0o600)
  const before = (await stat(log)).size
  const [program, ...words] = ownCommand(io)
  const child = spawn(program!, [...words, 'serve', ...options], {
    // Not in the user's folder, which could not be unmounted while the server runs.
    cwd: dirname(dirname(log)),
    env: io.env,
    detached: true,
    stdio: ['ignore', file.fd, file.fd],
  })
  const attempt: Attempt = { child, before }
  child.on('error', (error) => (attempt.ended = error.message))
  child.on('exit', (code, signal) => (attempt.ended = `It exited with ${signal ?? code}.`))
  child.unref()
  await file.close()
  return attempt
}

async function startFailure({ ended, before }: Attempt, log: string, io: Io): Promise<RemoraError> {
  const output = await readTail(log, before)
  const [, message, hint] = /^remora: (.*)\n(?: {2}(.*)\n)?/m.exec(output) ?? []
  const where = `Check its log: ${homePath(log, io.home)}`
  if (ended === undefined)
    return new RemoraError('timeout_startup', `The server did not start within ${startMs / 1000} s`, {
      hint: where,
    })
  return new RemoraError('crashed', `Cannot start the server: ${oneLine(message ?? ended, 300)}`, {
    hint: hint ?? where,
  })
}

async function readTail(file: string, from: number): Promise<string> {
  const text = await readFile(file).catch(() => Buffer.alloc(0))
  return text.subarray(from).toString('utf8')
}
