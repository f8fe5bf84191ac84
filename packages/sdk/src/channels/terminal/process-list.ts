import { execFile } from 'node:child_process'
import { readFile, readdir, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'
import { readFileSync } from 'node:fs'

/** A process with its command line. */
export interface ListedProcess {
  readonly pid: number
  readonly parent: number
  /** In the system's format; with the pid it identifies a process even if the pid is reused. */
  readonly startTime: string
  /** Whether it has the keyboard of its terminal now. */
  readonly foreground: boolean
  readonly argv: readonly string[]
}

/** All processes that run, by their pid. */
export async function listProcesses(): Promise<Map<number, ListedProcess>> {
  const list = process.platform === 'linux' ? await fromProc() : await fromPs()
  return new Map(list.map((entry) => [entry.pid, entry]))
}

/** The working directory of a process; undefined if it cannot be read. */
export async function readFolder(pid: number): Promise<string | undefined> {
  return readlink(`/proc/${pid}/cwd`).catch(() => undefined)
}

/** The open files of a process; none if they cannot be read. */
export async function listOpenFiles(pid: number): Promise<string[]> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => [])
  const files = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')))
  return files.filter((file) => file.startsWith('/') && !file.startsWith('/dev/'))
}

/** The start of a process, in milliseconds since the epoch. */
export async function getStartedAt({ startTime }: ListedProcess): Promise<number | undefined> {
  if (process.platform !== 'linux') return Date.parse(startTime) || undefined
  const booted = /^btime (\d+)$/m.exec(await readFile('/proc/stat', 'utf8').catch(() => ''))?.[1]
  // In hundredths of a second on every known Linux.
  return booted === undefined ? undefined : Number(booted) * 1000 + Number(startTime) * 10
}

async function fromProc(): Promise<ListedProcess[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const entries = await Promise.all(names.map((name) => procEntry(Number(name))))
  return entries.filter((entry) => entry !== undefined)
}

async function procEntry(pid: number): Promise<ListedProcess | undefined> {
  try {
    const [stat, line] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile(`/proc/${pid}/cmdline`, 'utf8'),
    ])
    // The name is in parentheses and may contain any character, so the fields start after the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, parent, group, , , foreground] = fields
    if (state === 'Z' || state === 'X' || line === '') return undefined
    return {
      pid,
      parent: Number(parent),
      startTime: fields[19] ?? '',
      foreground: group === foreground,
      argv: line.replace(/\0+$/, '').split('\0'),
    }
  } catch {
    return undefined // It has ended.
  }
}

/** The same from `ps`, for macOS and the BSDs; arguments with spaces cannot be distinguished there. */
async function fromPs(): Promise<ListedProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,ppid=,stat=,lstart=,args='], {
    env: { ...process.env, LC_ALL: 'C' },
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent, state, ...rest] = line.trim().split(/\s+/)
    if (!pid || state === undefined || state.startsWith('Z')) return []
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        startTime: rest.slice(0, 5).join(' '),
        foreground: state.includes('+'),
        argv: rest.slice(5),
      },
    ]
  })
}

/**
 * Whether a process runs; a zombie does not. It is called often, and a small synchronous read is cheaper than an
 * asynchronous one.
 *
 * @example if (!isAlive(pid)) log('it has ended')
 */
export function isAlive(pid: number): boolean {
  try {
    if (process.platform !== 'linux') return process.kill(pid, 0)
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name is in parentheses and may contain any character.
    return !/^[ZX]/.test(text.slice(text.lastIndexOf(')') + 2))
  } catch (error) {
    // Other errors, such as too many open files, say nothing about the process.
    const { code = '' } = error as NodeJS.ErrnoException
    return !['ENOENT', 'ESRCH'].includes(code)
  }
}
