import { chmod, mkdir, open, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import { type SqliteDatabase, getSqliteCode, openSqlite } from '@remora/sqlite'
import { Connection } from './connection.ts'
import { explain } from './failure.ts'
import { migrate } from './migrate.ts'
import { applicationId, schemaVersion } from './schema.ts'

/** Opens the file, creates it if necessary, and upgrades its schema. */
export async function connect(options: { readonly file: string }): Promise<Connection> {
  const file = resolve(options.file)
  let database: SqliteDatabase | undefined
  try {
    await makePrivate(file)
    database = openSqlite(file)
    await prepare(database, file)
    return new Connection(database, file)
  } catch (error) {
    database?.close()
    throw explain(error, file)
  }
}

/** The ledger holds whole conversations, so only the user may read it. SQLite gives its other files the same mode. */
async function makePrivate(file: string): Promise<void> {
  await makeFolder(dirname(file))
  await (await open(file, 'a', 0o600)).close()
  const { mode } = await stat(file)
  if ((mode & 0o077) !== 0) await chmod(file, 0o600)
}

/** Not `recursive`: that never returns on file systems without folders, such as /proc. */
async function makeFolder(folder: string): Promise<void> {
  const exists = await stat(folder).then(
    () => true,
    () => false,
  )
  if (exists || dirname(folder) === folder) return
  await makeFolder(dirname(folder))
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return
    if (error.code !== 'ENOENT') throw error
    throw new RemoraError('config', `Cannot create the ledger's folder: ${folder}`, {
      hint: 'Check its permissions, or use another REMORA_HOME.',
      cause: error,
    })
  })
}

async function prepare(database: SqliteDatabase, file: string): Promise<void> {
  await retryWhileBusy(() => {
    const version = inspect(database, file)
    // These take effect only before the first table exists.
    if (version === 0) {
      database.pragma('page_size = 16384')
      database.pragma('auto_vacuum = INCREMENTAL')
    }
    database.pragma('journal_mode = WAL')
  })
  await retryWhileBusy(() => upgrade(database, file))
  // Long enough for most writes of other processes, short enough not to block this one.
  database.pragma('busy_timeout = 200')
  database.pragma('synchronous = NORMAL')
  // The page cache of the operating system does the rest.
  database.pragma('cache_size = -8000')
  database.pragma('temp_store = MEMORY')
  // Overwrites deleted data where that is free. Forgetting a session overwrites it everywhere.
  database.pragma('secure_delete = FAST')
  // In pages of 16 kB. Most pages are written many times while they are in the log. A commit that moves 32 MB from there
  // to the file took 100 ms of processor time, in which a server answers no request.
  database.pragma('wal_autocheckpoint = 400')
  database.pragma('journal_size_limit = 67108864')
}

function upgrade(database: SqliteDatabase, file: string): void {
  if (inspect(database, file) === schemaVersion) return
  database.transaction('exclusive', () => {
    // Another process may have upgraded it meanwhile.
    if (inspect(database, file) < schemaVersion) migrate(database)
  })
}

/** The schema version of the file; 0 for a new one. Throws if it is not a ledger or a newer one. */
function inspect(database: SqliteDatabase, file: string): number {
  const read = () => ({
    version: database.pragma('user_version') as number,
    id: database.pragma('application_id') as number,
    ...database.prepare<{ tables: number }>('SELECT count(*) AS tables FROM sqlite_schema').get()!,
  })
  // In one transaction: another process may create the tables between two reads.
  const { version, id, tables } = database.inTransaction ? read() : database.transaction('deferred', read)
  if (tables > 0 && id !== applicationId)
    throw new RemoraError('config', `This file is a database, but not a ledger: ${file}`, {
      hint: 'Move it away, or use another REMORA_HOME.',
    })
  if (version > schemaVersion)
    throw new RemoraError(
      'unsupported',
      `The ledger ${file} was written by a newer version of Remora (schema ${version}, this one knows ${schemaVersion})`,
      { hint: 'Update Remora, or use another REMORA_HOME.' },
    )
  return version
}

/** Retries while another process locks the file, for example to create the tables. */
async function retryWhileBusy(work: () => void): Promise<void> {
  const until = Date.now() + 15_000
  for (;;) {
    try {
      work()
      return
    } catch (error) {
      const busy = getSqliteCode(error) === 'SQLITE_BUSY'
      if (!busy || Date.now() > until) throw error
    }
    await sleep(5 + Math.random() * 20)
  }
}
