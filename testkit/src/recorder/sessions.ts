import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findAgent } from '@remora/sdk'
import type { InstalledCli } from '../clis.ts'
import { filesBelow } from '../home.ts'
import type { Home } from '../home.ts'
import { runToEnd } from '../launch.ts'

export interface SessionFile {
  /** Below the folder in which the agent keeps its sessions. */
  readonly path: string
  readonly extension: 'json' | 'jsonl'
  readonly content: string
}

/** The sessions that a home holds after its runs. @example await listSessions(home, cli) */
export async function listSessions(home: Home, cli: InstalledCli): Promise<SessionFile[]> {
  const transcripts = findAgent(home.agent)?.transcripts
  if (!transcripts) return []
  const root = transcripts.root({ env: home.env, home: home.path, cwd: home.cwd, version: home.version })
  const paths = (await filesBelow(root)).filter((path) => transcripts.isSession(path))
  return Promise.all(
    paths.map(async (path): Promise<SessionFile> => {
      if (path.endsWith('.db')) return { path, extension: 'jsonl', content: await databaseRows(home, cli) }
      const extension = path.endsWith('.jsonl') ? 'jsonl' : 'json'
      return { path, extension, content: await readFile(join(root, path), 'utf8') }
    }),
  )
}

/** OpenCode's database as records, read by OpenCode itself, for which no SQLite of ours is needed. */
async function databaseRows(home: Home, cli: InstalledCli): Promise<string> {
  // One after the other: each start of OpenCode writes, and two at once find the database locked.
  const sessions = await query(home, cli, 'SELECT * FROM session ORDER BY id')
  const others = await query(
    home,
    cli,
    `SELECT 'message' AS "table", id, session_id, NULL AS message_id, time_created, time_updated, data FROM message
     UNION ALL SELECT 'part', id, session_id, message_id, time_created, time_updated, data FROM part
     ORDER BY 1, 2`,
  )
  const records = [
    ...sessions.map((row) => ({ table: 'session', ...row })),
    ...others.map((row) => ({ ...row, data: JSON.parse(String(row['data'])) as unknown })),
  ]
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

async function query(home: Home, cli: InstalledCli, sql: string): Promise<Record<string, unknown>[]> {
  const { lines, code, stderr } = await runToEnd({
    command: cli.path,
    args: ['db', sql, '--format', 'json'],
    cwd: home.cwd,
    env: home.env,
  })
  if (code !== 0) throw new Error(`opencode db failed: ${stderr}`)
  return JSON.parse(lines.join('\n') || '[]') as Record<string, unknown>[]
}
