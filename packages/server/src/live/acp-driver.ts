import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { mkdir, readFile, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join, parse } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { RemoraError, type StartRequest } from '@remora/protocol/plain'
import { type AcpCommand, isRunning } from '@remora/sdk/acp'
import { HostClient, type HostHandle, toRemoraError } from '../host/host-client.ts'
import {
  type HostExit,
  type HostFiles,
  type HostSpec,
  type HostState,
  getHostFiles,
  readState,
  takenCode,
  writePrivate,
} from '../host/host-files.ts'

export type { HostHandle } from '../host/host-client.ts'
export type { HostExit } from '../host/host-files.ts'
export type { HostInfo } from '../host/host-wire.ts'

export interface StartHost {
  readonly remoraHome: string
  /** The live id. */
  readonly live: string
  /** The first prompt is ignored here: it is a command like all others. */
  readonly request: StartRequest
  /** The complete environment of the agent and of its host. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** Overrides the folder of the request, for a worktree. */
  readonly cwd?: string
  /** Overrides the session that the request resumes. */
  readonly resume?: string
  /** The program of an agent that has no adapter. */
  readonly command?: AcpCommand
  readonly signal?: AbortSignal
}

/** Timeout of a start. Some agents cannot load a session within a minute of its creation. */
const startMs = 150_000

/** How long a new host may take to write its state file. */
const bootMs = 15_000

/**
 * Starts a host: a process that runs an agent and outlives the server. Resolves when the session is known, and rejects
 * with the error of the host.
 *
 * @example const host = await startHost({ remoraHome, live: 'l-7f3k9q', request, env: process.env, home: homedir() })
 */
export async function startHost(wanted: StartHost): Promise<HostHandle> {
  const options = await applyDemo(wanted)
  const { remoraHome, live, env, signal } = options
  checkRequest(options.request, options.command)
  const files = getHostFiles(remoraHome, live)
  const before = await readState(files)
  if (before && !before.exit && (await isRunning(before))) throw createTakenError(live)
  await removeOldHosts(remoraHome, files.folder)
  await rm(files.state, { force: true })
  await writePrivate(files.spec, createSpec(options))
  const child = await launch(files, env)
  const { pid } = child
  try {
    return await waitForReady(files, child, signal)
  } catch (error) {
    // The caller gets an error, so no host may stay.
    if (pid !== undefined && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      await Promise.race([once(child, 'exit'), sleep(20_000, undefined, { ref: false })])
      child.kill('SIGKILL')
    }
    if (!RemoraError.is(error) || error.code !== 'conflict') await rm(files.spec, { force: true })
    throw error
  }
}

/**
 * Attaches to a host of a previous server process, or returns how it ended.
 *
 * @example const found = await attachHost({ remoraHome, live }); if ('gone' in found) console.log(found.gone.reason)
 */
export async function attachHost(options: {
  readonly remoraHome: string
  readonly live: string
  readonly signal?: AbortSignal
}): Promise<HostHandle | { readonly gone: HostExit }> {
  const files = getHostFiles(options.remoraHome, options.live)
  const state = await waitForState(files, options.signal)
  if (!state) return { gone: { reason: 'killed' } }
  if (state.exit) return { gone: state.exit }
  const client = new HostClient(files, state)
  try {
    const gone = await client.ready(options.signal)
    return gone ? { gone } : client
  } catch (error) {
    client.release()
    throw error
  }
}

/** A host that started just before its server was killed may not have written its state file yet. */
async function waitForState(files: HostFiles, signal?: AbortSignal): Promise<HostState | undefined> {
  const end = performance.now() + bootMs
  for (;;) {
    const state = await readState(files)
    const spec = await stat(files.spec).catch(() => undefined)
    if (state || !spec || performance.now() > end || signal?.aborted) return state
    await sleep(50)
  }
}

/** Removes the files of a host that has ended. */
export async function forgetHost({
  remoraHome,
  live,
}: {
  readonly remoraHome: string
  readonly live: string
}): Promise<void> {
  const { spec, state, log } = getHostFiles(remoraHome, live)
  for (const file of [spec, state, log]) await rm(file, { force: true })
}

/** How long the exit state of a host is kept. */
const keepExitMs = 7 * 24 * 60 * 60 * 1000

/** Removes the files of hosts that ended long ago. */
async function removeOldHosts(remoraHome: string, folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const [, live] = /^(.+)\.state\.json$/.exec(name) ?? []
    const seen = live === undefined ? undefined : await stat(join(folder, name)).catch(() => undefined)
    if (live === undefined || !seen || Date.now() - seen.mtimeMs < keepExitMs) continue
    const state = await readState(getHostFiles(remoraHome, live))
    if (state?.exit) await forgetHost({ remoraHome, live })
  }
}

/** In the demo folder the demo agent runs, with its own home and without an account. */
async function applyDemo(options: StartHost): Promise<StartHost> {
  const { remoraHome, request, cwd = request.cwd, command, env } = options
  const demo = await readDemoSpec(remoraHome)
  if (!demo || command || demo.cwd !== cwd || demo.agent !== request.agent) return options
  return { ...options, home: demo.home, env: { ...env, ...demo.env } }
}

function checkRequest({ effort, args, agent }: StartRequest, command: AcpCommand | undefined): void {
  const given = effort !== undefined ? 'effort' : args && args.length > 0 ? 'extra arguments' : undefined
  if (given !== undefined && !command)
    throw new RemoraError('unsupported', `${agent} does not support ${given} over ACP`, {
      hint: 'Omit it, or start the session in a terminal.',
    })
}

function createSpec({ remoraHome, live, request, home, cwd, resume, command }: StartHost): HostSpec {
  const session = resume ?? request.resume
  return {
    live,
    agent: request.agent,
    remoraHome,
    home,
    cwd: cwd ?? request.cwd,
    startedAt: Date.now(),
    ...(request.mode === undefined ? {} : { mode: request.mode }),
    ...(request.model === undefined ? {} : { model: request.model }),
    ...(session === undefined ? {} : { resume: session }),
    ...(request.fork ? { fork: true } : {}),
    ...(request.signIn === undefined ? {} : { signIn: request.signIn }),
    ...(command === undefined
      ? {}
      : { command: { ...command, args: [...(command.args ?? []), ...(request.args ?? [])] } }),
  }
}

/** Starts the host detached in its own process group, so that it survives the server. */
async function launch(files: HostFiles, env: StartHost['env']): Promise<ChildProcess> {
  await mkdir(dirname(files.log), { recursive: true, mode: 0o700 })
  const log = openSync(files.log, 'a', 0o600)
  try {
    const child = spawn(process.execPath, [findHostProgram(), files.spec], {
      // Not the folder of the session, which may be removed.
      cwd: parse(process.execPath).root,
      detached: true,
      stdio: ['ignore', log, log],
      // Stopping the run that started the server must not stop the host.
      env: { ...env, REMORA_RUN: undefined },
    })
    await once(child, 'spawn')
    child.unref()
    return child
  } catch (cause) {
    throw new RemoraError('crashed', `Cannot start the session host: ${(cause as Error).message}`, { cause })
  } finally {
    closeSync(log)
  }
}

/** The host program: beside this file when bundled, one folder up when compiled, in dist when run from sources. */
function findHostProgram(): string {
  const paths = ['host.js', '../host.js', '../../dist/host.js']
  const files = paths.map((path) => fileURLToPath(new URL(path, import.meta.url)))
  return files.find((file) => existsSync(file)) ?? files.at(-1)!
}

async function waitForReady(
  files: HostFiles,
  child: ChildProcess,
  signal?: AbortSignal,
): Promise<HostHandle> {
  const late = AbortSignal.timeout(startMs)
  const until = signal ? AbortSignal.any([signal, late]) : late
  const state = await waitForListening(files, child, until)
  const client = new HostClient(files, state)
  try {
    const exit = await client.ready(until)
    if (!exit) return client
    throw exit.error ? toRemoraError(exit.error) : await createCrashError(files)
  } catch (error) {
    client.release()
    throw RemoraError.is(error) ? error : createStopError(error)
  }
}

/** Waits until the host listens on its socket. */
async function waitForListening(
  files: HostFiles,
  child: ChildProcess,
  until: AbortSignal,
): Promise<HostState> {
  for (;;) {
    if (until.aborted) throw createStopError(until.reason)
    const ended = child.exitCode !== null || child.signalCode !== null
    const state = await readState(files)
    if (state && state.pid === child.pid) {
      if (state.exit?.error) throw toRemoraError(state.exit.error)
      if (!ended) return state
    }
    if (child.exitCode === takenCode) throw createTakenError(files.spec)
    if (ended) throw await createCrashError(files)
    await sleep(10)
  }
}

function createTakenError(what: string): RemoraError {
  return new RemoraError('conflict', `A session host for ${what} is already running`, {
    hint: 'See: remora ls',
  })
}

function createStopError(reason: unknown): RemoraError {
  const isLate = reason instanceof Error && reason.name === 'TimeoutError'
  return isLate
    ? new RemoraError('timeout_startup', `The agent was not ready within ${startMs / 1000} seconds`, {
        hint: 'See: remora logs',
      })
    : new RemoraError('aborted', 'The start was cancelled', { cause: reason })
}

/** The error of a host that wrote no exit state; the log may contain the error of Node. */
async function createCrashError(files: HostFiles): Promise<RemoraError> {
  const log = await readFile(files.log, 'utf8').catch(() => '')
  const message = log
    .trim()
    .split('\n')
    .findLast((line) => /Error|error/.test(line))
  return new RemoraError('crashed', 'The session host ended before it was ready', {
    hint: message ?? `See ${files.log}`,
  })
}

/** How a session of the demo is started, as `remora demo` has prepared it. */
interface DemoSpec {
  readonly agent: string
  readonly home: string
  readonly cwd: string
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>
}

/** Undefined until the demo was started. @example (await readDemoSpec('/home/me/.remora'))?.cwd */
async function readDemoSpec(remoraHome: string): Promise<DemoSpec | undefined> {
  try {
    return JSON.parse(await readFile(join(remoraHome, 'demo', 'spec.json'), 'utf8')) as DemoSpec
  } catch {
    return undefined
  }
}
