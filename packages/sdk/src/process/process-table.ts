import { execFile } from 'node:child_process'
import { readFile, readdir } from 'node:fs/promises'
import { uptime } from 'node:os'
import { promisify } from 'node:util'

/** One process of the system's process list. */
export interface Entry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session?: number
  /** Identifies the process together with the pid, since pids are reused. */
  readonly startTime: string
}

export type ProcessTable = () => Promise<Entry[]>

/** Lists all running processes, without zombies. */
export const processTable: ProcessTable = () => (process.platform === 'linux' ? readProc() : readPs())

/** The start time of a process in the table's format; undefined if it has ended. */
export async function startTime(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') return (await readProcEntry(pid))?.startTime
  if (process.platform === 'win32') return undefined
  return (await readPs()).find((entry) => entry.pid === pid)?.startTime
}

/** Converts a start time of the table to milliseconds since 1970, exact to about 20 ms on Linux and a second elsewhere. */
export function toMilliseconds(startTime: string): number {
  // Linux counts in hundredths of a second since boot.
  if (process.platform === 'linux') return Date.now() - uptime() * 1000 + Number(startTime) * 10
  return Date.parse(startTime)
}

/**
 * Whether a process carries the mark of a run; supported on Linux only. Undefined if its environment is unreadable,
 * because the process has ended, belongs to another user, or is in the middle of exec.
 */
export async function hasMark(pid: number, run: string): Promise<boolean | undefined> {
  if (process.platform !== 'linux') return false
  try {
    const environ = await readFile(`/proc/${pid}/environ`, 'utf8')
    return environ === '' ? undefined : carriesMark(environ, run)
  } catch {
    return undefined
  }
}

async function readProc(): Promise<Entry[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const entries = await Promise.all(names.map((name) => readProcEntry(Number(name))))
  return entries.filter((entry) => entry !== undefined)
}

async function readProcEntry(pid: number): Promise<Entry | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The name is in parentheses and may contain anything, so the fields start after the last parenthesis.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [state, parent, group, session] = fields
    if (state === 'Z' || state === 'X') return undefined
    return {
      pid,
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      startTime: fields[19] ?? '',
    }
  } catch {
    return undefined // The process has ended.
  }
}

/** Lists processes with `ps`, on macOS and the BSDs. */
export async function readPs(): Promise<Entry[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='], {
    env: { ...process.env, LC_ALL: 'C' },
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent, group, state, ...start] = line.trim().split(/\s+/)
    if (!pid || state === undefined || state.startsWith('Z')) return []
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), startTime: start.join(' ') }]
  })
}

/** The environment variable that marks all processes of a run, to find those that left their parent and group. */
export const runVariable = 'REMORA_RUN'

/** A nested run carries both marks, so that ending the outer run ends the inner one too. */
export function joinMarks(outer: string | undefined, run: string): string {
  return outer ? `${outer}:${run}` : run
}

/** Whether a block of `NAME=value` pairs, separated by NUL as in /proc, carries the mark. */
function carriesMark(environ: string, run: string): boolean {
  const prefix = `${runVariable}=`
  const entry = environ.split('\0').find((pair) => pair.startsWith(prefix))
  return entry !== undefined && entry.slice(prefix.length).split(':').includes(run)
}
