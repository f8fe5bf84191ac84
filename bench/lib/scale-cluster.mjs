// The PostgreSQL of the tests, but with data on disk and PostgreSQL's default settings.
import { execFile } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { tsImport } from 'tsx/esm/api'

const run = promisify(execFile)
// The tests use less, because they run several servers at a time.
const settings = { max_connections: 100, shared_buffers: '128MB' }

/** Starts a server that ends with this process. `flushMs` is added to the duration of a log flush. */
export async function startCluster({ flushMs }) {
  const { startPostgres } = await tsImport('../../testkit/src/postgres.ts', import.meta.url)
  const slow = flushMs === 0 ? {} : { commit_delay: flushMs * 1000, commit_siblings: 0 }
  const server = await startPostgres({ fsync: 'on', settings: { ...settings, ...slow } })
  const pid = Number(readFileSync(join(server.socketFolder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
  return {
    url: server.url,
    createDatabase: server.createDatabase,
    query: (database, sql) => query(server.url(database), sql),
    /** Runs pgbench and returns its output. */
    async pgbench(database, args) {
      const { host, port, user, password, programs } = server
      const env = { PATH: process.env.PATH, PGPASSWORD: password }
      const where = ['-h', host, '-p', String(port), '-U', user]
      return (await run(join(programs, 'pgbench'), [...where, ...args, database], { env })).stdout
    },
    processorMs: () => readProcessorOfTree(pid),
    stop: server.stop,
  }
}

/** Runs one statement and returns its rows. */
async function query(connectionString, sql) {
  const client = new pg.Client({ connectionString })
  try {
    await client.connect()
    return (await client.query(sql)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

/** The CPU time that a process and its children have used so far, in milliseconds. */
function readProcessorOfTree(pid) {
  let total = 0
  for (const name of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8')
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
      const own = Number(name) === pid
      if (!own && Number(fields[1]) !== pid) continue
      // In nanoseconds; `stat` counts only hundredths of a second.
      total += Number(readFileSync(`/proc/${name}/schedstat`, 'utf8').split(' ')[0]) / 1e6
      // Ended children count for their parent.
      if (own) total += (Number(fields[13]) + Number(fields[14])) * 10
    } catch {
      // The process has ended.
    }
  }
  return total
}
