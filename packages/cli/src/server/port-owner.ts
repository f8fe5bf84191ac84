import { execFile } from 'node:child_process'
import { readFile, readdir, readlink } from 'node:fs/promises'
import { oneLine } from '../output/one-line.ts'

/** The process that listens on a port. */
interface PortOwner {
  readonly pid: number
  readonly command: string
}

/**
 * Finds the process that listens on a port. Processes of other users may be hidden.
 *
 * @example const owner = await portOwner(7717, 'linux') // { pid: 4711, command: 'node server.js' }
 */
export async function portOwner(port: number, platform: NodeJS.Platform): Promise<PortOwner | undefined> {
  try {
    return platform === 'linux' ? await byProc(port) : await byLsof(port)
  } catch {
    return undefined
  }
}

/** Formats the owner as `process 4711 (node server.js)`. */
export function formatOwner(owner: PortOwner | undefined): string {
  return owner ? `process ${owner.pid} (${oneLine(owner.command, 100)})` : 'another program'
}

async function byProc(port: number): Promise<PortOwner | undefined> {
  const inodes = new Set<string>()
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of (await readFile(table, 'utf8').catch(() => '')).split('\n').slice(1)) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/)
      const listens = state === '0A'
      if (listens && Number.parseInt(local?.split(':')[1] ?? '', 16) === port) inodes.add(`socket:[${inode}]`)
    }
  if (inodes.size === 0) return undefined
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const files = await readdir(`/proc/${name}/fd`).catch(() => [])
    for (const file of files) {
      const target = await readlink(`/proc/${name}/fd/${file}`).catch(() => '')
      if (inodes.has(target)) return { pid: Number(name), command: await readCommand(name) }
    }
  }
  return undefined
}

async function readCommand(pid: string): Promise<string> {
  const words = await readFile(`/proc/${pid}/cmdline`, 'utf8')
  return words.split('\0').filter(Boolean).join(' ')
}

async function byLsof(port: number): Promise<PortOwner | undefined> {
  const listed = await output('lsof', ['-nP', '-t', `-iTCP:${port}`, '-sTCP:LISTEN'])
  const pid = Number(listed.trim().split('\n')[0])
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  return { pid, command: (await output('ps', ['-o', 'command=', '-p', String(pid)])).trim() }
}

function output(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: 5000 }, (error, stdout) => (error ? reject(error) : resolve(stdout)))
  })
}
