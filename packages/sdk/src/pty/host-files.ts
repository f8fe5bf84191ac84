import { readFile, rm, writeFile } from 'node:fs/promises'
import type { HostFacts } from './wire.ts'

/** What a host needs to start. It is sent to its standard input, since the environment may contain secrets. */
export interface HostSpec {
  readonly socket: string
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly run: string
  /** The mark of the run in the environment of the agent. */
  readonly mark: readonly [name: string, value: string]
  readonly columns: number
  readonly rows: number
  /** An agent that exits with this code waits for a client that starts it again. */
  readonly restartExitCode?: number
}

/** The files of a host beside its socket. */
export function getHostFiles(socket: string): { readonly pipes: string; readonly exit: string } {
  return { pipes: `${socket}.d`, exit: `${socket}.exit` }
}

/** Stores how the agent ended, for a client that attaches after the host has ended. It contains no text of the screen. */
export async function writeExit(socket: string, about: HostFacts): Promise<void> {
  await writeFile(getHostFiles(socket).exit, JSON.stringify(about), { mode: 0o600 })
}

/** Undefined if the host was killed. */
export async function readExit(socket: string): Promise<HostFacts | undefined> {
  try {
    return JSON.parse(await readFile(getHostFiles(socket).exit, 'utf8')) as HostFacts
  } catch {
    return undefined
  }
}

/** Removes everything that a host has left. */
export async function removeHostFiles(socket: string): Promise<void> {
  const { pipes, exit } = getHostFiles(socket)
  for (const path of [socket, pipes, exit]) await rm(path, { recursive: true, force: true })
}
