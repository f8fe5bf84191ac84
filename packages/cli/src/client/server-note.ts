import { readFileSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Io } from '../command/io.ts'
import { remoraHome } from '../home/remora-home.ts'

type Where = Pick<Io, 'env' | 'home'>

/** The content of `server.json`, in which a running server publishes its address. */
interface ServerNote {
  readonly pid: number
  readonly url: string
  readonly version: string
  readonly startedAt: number
  /** The network in which the server is reachable. */
  readonly reach: Reach
  /** The fingerprint of our own certificate authority, if it signed the server's certificate. */
  readonly fingerprint?: string
}

export type Reach = 'loopback' | 'lan' | 'tailscale' | 'other'

export function logPath(io: Where): string {
  return join(remoraHome(io), 'logs', 'server.log')
}

function notePath(io: Where): string {
  return join(remoraHome(io), 'server.json')
}

/** The note of the running server; undefined if its process is gone. */
export async function readNote(io: Where): Promise<ServerNote | undefined> {
  const note = await readLastNote(io)
  return note && isProcessAlive(note.pid) ? note : undefined
}

async function readLastNote(io: Where): Promise<ServerNote | undefined> {
  try {
    const note = JSON.parse(await readFile(notePath(io), 'utf8')) as Partial<ServerNote>
    return typeof note.pid === 'number' && typeof note.url === 'string' ? (note as ServerNote) : undefined
  } catch {
    return undefined
  }
}

/** Whether a process runs, even if it belongs to another user. A killed process may exist until its parent notices. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !hasEnded(pid)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether a process in the process list is a zombie, or was removed from the list meanwhile. */
function hasEnded(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name is in parentheses and may contain any character.
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return true
  }
}

export async function writeNote(io: Where, note: ServerNote): Promise<void> {
  const draft = `${notePath(io)}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(note, null, 2)}\n`, { mode: 0o600 })
  await rename(draft, notePath(io))
}

/** Removes the note, unless another server has replaced it. */
export async function removeNote(io: Where, pid: number): Promise<void> {
  if ((await readLastNote(io))?.pid === pid) await rm(notePath(io), { force: true })
}
