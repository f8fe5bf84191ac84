// The baselines: pgbench, which puts rows of the same size into a plain table, as many in one transaction. With several rows
// in a transaction that can be one statement for all of them (the harder one to keep up with) or one for each row.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a transaction of so many rows says. */
const scripts = {
  together: (rows) => `INSERT INTO plain (at, body) VALUES ${rows.join()};\n`,
  single: (rows) =>
    ['BEGIN', ...rows.map((row) => `INSERT INTO plain (at, body) VALUES ${row}`), 'COMMIT']
      .map((statement) => `${statement};\n`)
      .join(''),
}

/** Makes the table and scripts for each size of a transaction. @returns what runs one round of one of them */
export async function preparePgbench({ cluster, folder }, { rowBytes, batches, clients }) {
  const database = 'plain'
  await cluster.createDatabase(database)
  await cluster.query(
    database,
    'CREATE TABLE plain (id BIGSERIAL PRIMARY KEY, at BIGINT NOT NULL, body TEXT NOT NULL)',
  )
  const home = join(folder, 'scripts')
  mkdirSync(home)
  // What a row has besides the text: its head, two numbers and a length.
  const body = 'x'.repeat(Math.max(1, Math.round(rowBytes) - 44))
  const getScriptPath = (how, batch) => join(home, `${how}-${batch}.sql`)
  for (const batch of batches) {
    const rows = Array.from({ length: batch }, (_, index) => `(${index},'${body}')`)
    // One row is one statement in both, with no words around it.
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
    if (perSecond === undefined || count === undefined) throw new Error(`pgbench output no rate: ${output}`)
    return { rate: Number(perSecond) * batch, stored: Number(count) * batch }
  }
}
