import { chmod, lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { AcpCommand, Owner } from '@remora/sdk/acp'
import { socketPath } from '../unix/socket-path.ts'

/** What a host is to do. Secrets are not in it: they are in its environment. */
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
  /** The program, for an agent that is known by its command line alone. */
  readonly command?: AcpCommand
}

/** Who a host is and what became of it, for those who look for it later. */
export interface HostState extends Owner {
  readonly socket: string
  readonly session?: string
  readonly exit?: HostExit
}

/** How a host has ended. */
export interface HostExit {
  /** Told to; its agent ended for good; it never got that far; or it was killed and could not say. */
  readonly reason: 'ended' | 'crashed' | 'failed' | 'killed'
  readonly error?: ReturnType<RemoraError['toJSON']>
}

/** The exit code of a host that found another one in its place. */
export const takenCode = 75

export interface HostFiles {
  readonly folder: string
  readonly spec: string
  readonly state: string
  readonly log: string
}

/** Where the files of a host are. @example hostFiles('/home/me/.remora', 'l-7f3k9q').spec */
export function hostFiles(remoraHome: string, live: string): HostFiles {
  if (!/^[\w-][\w.-]*$/.test(live)) throw new RemoraError('usage', `Invalid live session name "${live}"`)
  const folder = join(remoraHome, 'hosts')
  return {
    folder,
    spec: join(folder, `${live}.json`),
    state: join(folder, `${live}.state.json`),
    log: join(remoraHome, 'logs', `host-${live}.log`),
  }
}

/** Where a host listens: beside its files, or in a folder of our own among the temporary ones where that is too long. */
export function hostSocket(remoraHome: string, live: string): string {
  return socketPath(join(remoraHome, 'hosts'), `${live}.sock`)
}

/** Makes the folder of a socket, which nobody else may look into. */
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

/** Undefined where there is none. */
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
