import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { appendFile, chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { endProcesses } from './leftovers.ts'

export interface PostgresOptions {
  /** Whether what is committed is on the disk; off is quick, and a server that is killed loses nothing by it either. */
  readonly fsync?: 'on' | 'off'
  /** An address besides the loopback, and from where one gets in there, with the password. */
  readonly reach?: { readonly address: string; readonly range: string }
  /** More settings of the server, as in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string | number>>
}

/** A server of its own, with its data in a temporary folder. */
export interface Postgres {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  /** The folder of its socket, for programs that cannot reach the port. */
  readonly socketFolder: string
  /** Where the programs of this version are: psql, pgbench and others. */
  readonly programs: string
  /** The address of a database. @example server.url('postgres') */
  url(database: string): string
  /** Makes an empty database, and gives its address. */
  createDatabase(name?: string): Promise<string>
  /** What psql prints, without headings. */
  query(sql: string, database?: string): Promise<string>
  /** Stops it as an operator does, and starts it again on the same port. */
  restart(downMs?: number): Promise<void>
  /** Ends it at once, as a power failure would. */
  kill(): Promise<void>
  /** Starts it again after `kill`. */
  start(): Promise<void>
  /** Stops it and removes its folder. */
  stop(): Promise<void>
}

const user = 'remora'
const password = 'never-to-be-shown'

/**
 * Starts a PostgreSQL server for tests. It ends with the process that started it, however that ends.
 *
 * @example const server = await startPostgres({ fsync: 'off' })
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const programs = findPostgres()
  const account = await findAccount()
  // Short, since the path of a socket has 107 signs at most; and not below a folder that only we may enter, since the
  // server may run as somebody else.
  const folder = await mkdtemp('/tmp/rp-')
  const data = join(folder, 'data')
  const run = async (program: string, args: readonly string[]): Promise<string> => {
    const env = { ...process.env, PGPASSWORD: password, LC_ALL: 'C' }
    return (await promisify(execFile)(join(programs, program), args, { ...account, cwd: folder, env })).stdout
  }
  const cluster = new Cluster(programs, folder, account)
  try {
    const secret = join(folder, 'password')
    await writeFile(secret, password)
    await chmod(folder, 0o700)
    if (account.uid !== undefined)
      for (const path of [folder, secret]) await chown(path, account.uid, account.gid!)
    const logins = [
      '--auth-local=trust',
      '--auth-host=scram-sha-256',
      `--username=${user}`,
      `--pwfile=${secret}`,
    ]
    await run('initdb', [`--pgdata=${data}`, '--encoding=UTF8', '--locale=C', '--no-sync', ...logins])
    const port = await freePort()
    if (options.reach)
      await appendFile(join(data, 'pg_hba.conf'), `host all all ${options.reach.range} scram-sha-256\n`)
    await writeFile(join(data, 'postgresql.auto.conf'), createSettings(folder, port, options))
    await cluster.start()
    let databases = 0
    const url = (database: string): string =>
      `postgres://${user}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`
    const query = (sql: string, database = 'postgres'): Promise<string> =>
      run('psql', ['-X', '-A', '-t', '-q', '-v', 'ON_ERROR_STOP=1', '-d', url(database), '-c', sql])
    return {
      host: '127.0.0.1',
      port,
      user,
      password,
      socketFolder: folder,
      programs,
      url,
      query,
      async createDatabase(name = `test_${++databases}`) {
        await query(`CREATE DATABASE "${name}"`)
        return url(name)
      },
      async restart(downMs = 0) {
        await cluster.end('SIGINT')
        await sleep(downMs)
        await cluster.start()
      },
      kill: () => cluster.end('SIGKILL'),
      start: () => cluster.start(),
      async stop() {
        await cluster.end('SIGINT')
        await rm(folder, { recursive: true, force: true, maxRetries: 3 })
      },
    }
  } catch (error) {
    await cluster.end('SIGKILL')
    const log = await readFile(join(folder, 'log'), 'utf8').catch(() => '')
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    throw new Error(`PostgreSQL did not start: ${String(error)}\n${log}`, { cause: error })
  }
}

/** Where the programs of the newest PostgreSQL are: Debian has none of a server's on PATH. */
export function findPostgres(): string {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean),
  ]
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')))
  if (found === undefined)
    throw new Error('PostgreSQL is not installed: `node scripts/test.mjs` installs it.')
  return found
}

interface Account {
  readonly uid?: number
  readonly gid?: number
}

/** PostgreSQL refuses to run as root: then it runs as the user that its package has made. */
async function findAccount(): Promise<Account> {
  if (process.getuid?.() !== 0) return {}
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const [, , uid, gid] =
    lines.find(([name]) => name === 'postgres') ?? lines.find(([name]) => name === 'nobody')!
  return { uid: Number(uid), gid: Number(gid) }
}

function createSettings(
  folder: string,
  port: number,
  { fsync = 'on', reach, settings = {} }: PostgresOptions,
): string {
  const all = {
    listen_addresses: ['127.0.0.1', ...(reach ? [reach.address] : [])].join(),
    port,
    unix_socket_directories: folder,
    max_connections: 200,
    shared_buffers: '64MB',
    fsync,
    full_page_writes: fsync,
    log_min_messages: 'warning',
    ...settings,
  }
  return Object.entries(all)
    .map(([name, value]) => `${name} = '${value}'\n`)
    .join('')
}

/** The processes of one server. */
class Cluster {
  readonly #programs: string
  readonly #folder: string
  readonly #account: Account
  #child: ChildProcess | undefined
  #pid = 0

  constructor(programs: string, folder: string, account: Account) {
    this.#programs = programs
    this.#folder = folder
    this.#account = account
  }

  /** Until it takes connections. One that was killed a moment ago may still have processes that are going. */
  async start(): Promise<void> {
    for (let turn = 1; ; turn++) {
      if (await this.#try()) return
      if (turn === 20) throw new Error('the server ended at once')
      await sleep(100 * turn)
    }
  }

  async end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    const child = this.#child
    if (!child) return
    this.#child = undefined
    const ended = child.exitCode === null ? once(child, 'exit') : undefined
    process.kill(this.#pid, signal)
    await ended
    await endProcesses(this.#folder, 10_000)
  }

  async #try(): Promise<boolean> {
    // The shell waits for the end of its input, which comes when this process has ended, however it did: then the server
    // has to go too, and its folder.
    const script = `exec 3<&0
      "$1" -D "$2" </dev/null >>"$3" 2>&1 3<&- & server=$!
      echo $server
      (
        cat <&3
        kill -QUIT $server
        while kill -0 $server; do sleep 0.1; done
        rm -rf "$4"
      ) >/dev/null 2>&1 & watch=$!
      wait $server; kill $watch 2>/dev/null`
    const folder = this.#folder
    const args = [join(this.#programs, 'postgres'), join(folder, 'data'), join(folder, 'log'), folder]
    const child = spawn('/bin/sh', ['-c', script, 'postgres', ...args], {
      ...this.#account,
      cwd: folder,
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'], HOME: folder, LC_ALL: 'C' },
    })
    child.stdin.on('error', () => {})
    child.once('exit', () => child.stdin.destroy())
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    this.#pid = Number(line)
    while (child.exitCode === null) {
      if (await this.#isReady()) {
        this.#child = child
        return true
      }
      await sleep(30)
    }
    return false
  }

  /** The first line of the file is a pid, and the last one says what that server does. */
  async #isReady(): Promise<boolean> {
    const text = await readFile(join(this.#folder, 'data', 'postmaster.pid'), 'utf8').catch(() => '')
    const lines = text.trim().split('\n')
    return Number(lines[0]) === this.#pid && lines.at(-1)!.trim() === 'ready'
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
