// The PostgreSQL of the tests, with its data on the disk and with the settings that PostgreSQL has by default.
import { execFile } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { tsImport } from 'tsx/esm/api'

const run = promisify(execFile)
// The tests have less, since several of theirs run at a time.
const settings = { max_connections: 100, shared_buffers: '128MB' }

/** It ends with this process, however that ends. A flush of its log takes so much longer than the disk needs. */
export async function startCluster({ flushMs }) {
  const { startPostgres } = await tsImport('../../testkit/src/postgres.ts', import.meta.url)
  const slow = flushMs === 0 ? {} : { commit_delay: flushMs * 1000, commit_siblings: 0 }
  const server = await startPostgres({ fsync: 'on', settings: { ...settings, ...slow } })
  const pid = Number(readFileSync(join(server.socketFolder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
  return {
    url: server.url,
    createDatabase: server.createDatabase,
    query: (database, sql) => query(server.url(database), sql),
    /** What pgbench prints. */
    async pgbench(database, args) {
      const { host, port, user, password, programs } = server
      const env = { PATH: process.env.PATH, PGPASSWORD: password }
      const where = ['-h', host, '-p', String(port), '-U', user]
      return (await run(join(programs, 'pgbench'), [...where, ...args, database], { env })).stdout
    },
    processorMs: () => processorOfTree(pid),
    stop: server.stop,
  }
}

/** The rows of one statement. */
async function query(connectionString, sql) {
  const client = new pg.Client({ connectionString })
  try {
    await client.connect()
    return (await client.query(sql)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

/** The time of the processor that a process has used so far with all its children, in milliseconds. */
function processorOfTree(pid) {
  let total = 0
  for (const name of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8')
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
      const own = Number(name) === pid
      if (!own && Number(fields[1]) !== pid) continue
      // In nanoseconds; what the same file as below has would be in hundredths of a second.
      total += Number(readFileSync(`/proc/${name}/schedstat`, 'utf8').split(' ')[0]) / 1e6
      // Those that have ended are its own from then on.
      if (own) total += (Number(fields[13]) + Number(fields[14])) * 10
    } catch {
      // It has ended meanwhile.
    }
  }
  return total
}
