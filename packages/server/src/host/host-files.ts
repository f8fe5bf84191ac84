import { chmod, lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { AcpCommand, Owner } from '@remora/sdk/acp'
import { getSocketPath } from '../unix/socket-path.ts'

/** The configuration of a host. Secrets are passed in its environment. */
export interface HostSpec {
  readonly live: string
  readonly agent: string
  readonly remoraHome: string
  readonly home: string
  readonly cwd: string
  readonly startedAt: number
  readonly mode?: string
  readonly model?: string
  readonly resume?: string
  readonly fork?: true
  /** The method to sign in by, if the agent demands it. */
  readonly signIn?: string
  /** The program of an agent that has no adapter. */
  readonly command?: AcpCommand
}

/** The process of a host and how it ended, for a server that attaches later. */
export interface HostState extends Owner {
  readonly socket: string
  readonly session?: string
  readonly exit?: HostExit
}

/** How a host has ended. */
export interface HostExit {
  /** On request; the agent ended for good; the start failed; or the host was killed. */
  readonly reason: 'ended' | 'crashed' | 'failed' | 'killed'
  readonly error?: ReturnType<RemoraError['toJSON']>
}

/** The exit code of a host whose session has another host already. */
export const takenCode = 75

export interface HostFiles {
  readonly folder: string
  readonly spec: string
  readonly state: string
  readonly log: string
}

/** Where the files of a host are. @example getHostFiles('/home/me/.remora', 'l-7f3k9q').spec */
export function getHostFiles(remoraHome: string, live: string): HostFiles {
  if (!/^[\w-][\w.-]*$/.test(live)) throw new RemoraError('usage', `Invalid live session name "${live}"`)
  const folder = join(remoraHome, 'hosts')
  return {
    folder,
    spec: join(folder, `${live}.json`),
    state: join(folder, `${live}.state.json`),
    log: join(remoraHome, 'logs', `host-${live}.log`),
  }
}

/** The socket of a host: beside its files, or in a private temporary folder if that path is too long. */
export function getHostSocket(remoraHome: string, live: string): string {
  return getSocketPath(join(remoraHome, 'hosts'), `${live}.sock`)
}

/** Creates the folder of a socket, readable by its owner only. */
export async function prepareSocketFolder(socket: string): Promise<void> {
  const folder = dirname(socket)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { mode, uid } = await lstat(folder)
  if (uid !== (process.getuid?.() ?? uid))
    throw new RemoraError('permission', `Another user owns ${folder}`, {
      hint: 'Set REMORA_HOME to a shorter path, or TMPDIR to a folder of your own.',
    })
  if ((mode & 0o077) !== 0) await chmod(folder, 0o700)
}

export async function readSpec(file: string): Promise<HostSpec> {
  return JSON.parse(await readFile(file, 'utf8')) as HostSpec
}

/** The state of a host; undefined if there is none. */
export async function readState(files: HostFiles): Promise<HostState | undefined> {
  try {
    return JSON.parse(await readFile(files.state, 'utf8')) as HostState
  } catch {
    return undefined
  }
}

/** Writes a file so that a reader sees all of it or nothing; only its owner may read it. */
export async function writePrivate(file: string, content: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  try {
    await writeFile(draft, `${JSON.stringify(content)}\n`, { mode: 0o600 })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
