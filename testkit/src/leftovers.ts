import { execFile } from 'node:child_process'
import { readFile, readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

export interface RunningProcess {
  readonly pid: number
  readonly command: string
}

/**
 * The living processes that belong to a folder: those that name it in their environment, as `HOME` or `TMPDIR`, or on
 * their command line. A child may drop one of the two, hardly both.
 *
 * @example await listProcesses('/tmp/remora-home-x')
 */
export async function listProcesses(folder: string): Promise<RunningProcess[]> {
  const listed = process.platform === 'linux' ? await fromProc() : await fromPs()
  return listed
    .filter((entry) => entry.pid !== process.pid && entry.everything.includes(folder))
    .map(({ pid, command }) => ({ pid, command }))
}

/**
 * Waits for the processes of a folder, and ends those that stay: one that lives on would write the folder anew after it
 * was removed.
 *
 * @example await endProcesses('/tmp/remora-home-x')
 */
export async function endProcesses(folder: string, patience = 1500): Promise<void> {
  const deadline = Date.now() + patience
  for (let left = await listProcesses(folder); left.length > 0; left = await listProcesses(folder)) {
    if (Date.now() > deadline + patience) return
    if (Date.now() > deadline) for (const { pid } of left) end(pid)
    await sleep(50)
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself in the meantime.
  }
}

interface Listed extends RunningProcess {
  readonly everything: string
}

async function fromProc(): Promise<Listed[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => {
      // A process may end between the two reads; one that has ended and waits for its parent has neither.
      const [environment = '', command = ''] = await Promise.all(
        ['environ', 'cmdline'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
      )
      return {
        pid: Number(pid),
        command: command.replaceAll('\0', ' ').trim(),
        everything: `${environment}\0${command}`,
      }
    }),
  )
  return found.filter((entry) => entry.command !== '')
}

async function fromPs(): Promise<Listed[]> {
  const { stdout } = await promisify(execFile)('ps', ['-Eww', '-Ao', 'pid=,command='])
  return stdout.split('\n').flatMap((line) => {
    const [, pid, command = ''] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? []
    return pid === undefined ? [] : [{ pid: Number(pid), command, everything: line }]
  })
}
