// The baselines: pgbench inserts rows of the same size into a plain table, with as many rows per transaction. It uses one
// statement for all rows (the faster baseline) or one statement per row.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The script of a transaction. */
const scripts = {
  together: (rows) => `INSERT INTO plain (at, body) VALUES ${rows.join()};\n`,
  single: (rows) =>
    ['BEGIN', ...rows.map((row) => `INSERT INTO plain (at, body) VALUES ${row}`), 'COMMIT']
      .map((statement) => `${statement};\n`)
      .join(''),
}

/** Creates the table and a script per transaction size. @returns a function that runs one round of a script */
export async function preparePgbench({ cluster, folder }, { rowBytes, batches, clients }) {
  const database = 'plain'
  await cluster.createDatabase(database)
  await cluster.query(
    database,
    'CREATE TABLE plain (id BIGSERIAL PRIMARY KEY, at BIGINT NOT NULL, body TEXT NOT NULL)',
  )
  const home = join(folder, 'scripts')
  mkdirSync(home)
  // The rest of a row is its header, two numbers and a length.
  const body = 'x'.repeat(Math.max(1, Math.round(rowBytes) - 44))
  const getScriptPath = (how, batch) => join(home, `${how}-${batch}.sql`)
  for (const batch of batches) {
    const rows = Array.from({ length: batch }, (_, index) => `(${index},'${body}')`)
    // With one row, both are a single statement without BEGIN and COMMIT.
    for (const how of ['together', 'single'])
      writeFileSync(getScriptPath(how, batch), scripts[batch === 1 ? 'together' : how](rows))
  }
  return async ({ how, batch, seconds }) => {
    await cluster.query(database, 'TRUNCATE plain')
    const threads = String(Math.min(2, clients))
    const options = ['-n', '-c', String(clients), '-j', threads, '-T', String(Math.ceil(seconds))]
    const output = await cluster.pgbench(database, [...options, '-f', getScriptPath(how, batch)])
    const perSecond = /tps = ([\d.]+)/.exec(output)?.[1]
    const count = /actually processed: (\d+)/.exec(output)?.[1]
    if (perSecond === undefined || count === undefined) throw new Error(`pgbench printed no rate: ${output}`)
    return { rate: Number(perSecond) * batch, stored: Number(count) * batch }
  }
}
