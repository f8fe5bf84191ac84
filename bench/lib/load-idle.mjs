// The cost of an idle server, without clients and with one.
import { once } from 'node:events'
import { copyFileSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { WebSocket } from 'ws'
import { claudeCorpus, geminiCorpus } from './corpus.mjs'
import { openServer, waitUntilQuiet } from './load-server.mjs'
import { readMemory, readProcessorTime } from './live-server.mjs'

/** Measures CPU (percent of a core) and memory (MB) in a home with this many sessions. */
export async function measureIdle(folder, { sessions, watchMs, quietMs }) {
  if (sessions > 0) fillHome(join(folder, 'home'), sessions)
  const server = await openServer(folder)
  try {
    const token = await server.pair('bench')
    await waitUntilQuiet(server.pid, { forMs: quietMs })
    const alone = await measureCpu(server.pid, watchMs)
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/api/ws`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await once(socket, 'open')
    socket.send(JSON.stringify({ type: 'subscribe', id: 'all' }))
    await sleep(1000)
    const withClient = await measureCpu(server.pid, watchMs)
    socket.terminate()
    return { alone, withClient, memory: readMemory(server.pid).now }
  } finally {
    await server.stop()
  }
}

async function measureCpu(pid, watchMs) {
  const before = readProcessorTime(pid)
  const began = performance.now()
  await sleep(watchMs)
  return ((readProcessorTime(pid) - before) / (performance.now() - began)) * 100
}

/** Creates sessions of Claude and Gemini, and an OpenCode database with the write-ahead log that a crash leaves. */
function fillHome(home, sessions) {
  claudeCorpus(home, { files: Math.ceil(sessions * 0.5), turns: 5 })
  geminiCorpus(home, { files: Math.ceil(sessions * 0.4), turns: 5 })
  writeCrashedDatabase(join(home, '.local', 'share', 'opencode'), Math.ceil(sessions * 0.1))
}

function writeCrashedDatabase(folder, sessions) {
  mkdirSync(folder, { recursive: true })
  const database = new Database(join(folder, 'opencode.db'))
  database.pragma('journal_mode = WAL')
  database.exec(`
    CREATE TABLE project (id text PRIMARY KEY);
    CREATE TABLE session (id text PRIMARY KEY, project_id, parent_id, directory, title, version, time_created, time_updated);
    CREATE TABLE message (id text PRIMARY KEY, session_id, time_created, time_updated, data);
    CREATE TABLE part (id text PRIMARY KEY, message_id, session_id, time_created, time_updated, data);
    CREATE TABLE event (id text PRIMARY KEY, aggregate_id, seq, type, data)`)
  const insert = (table, ...values) =>
    database.prepare(`INSERT INTO ${table} VALUES (${values.map(() => '?').join()})`).run(...values)
  for (let index = 0; index < sessions; index++) {
    const at = Date.UTC(2026, 0, 2) + index * 1000
    const session = `ses_${index}`
    insert('session', session, 'global', null, '/home/user/project', `Session ${index}`, '1.18.33', at, at)
    insert(
      'message',
      `msg_${index}`,
      session,
      at,
      at,
      JSON.stringify({ role: 'user', time: { created: at } }),
    )
    const part = JSON.stringify({ type: 'text', text: `Prompt ${index}` })
    insert('part', `prt_${index}`, `msg_${index}`, session, at, at, part)
  }
  const files = ['', '-wal', '-shm'].map((end) => join(folder, `opencode.db${end}`))
  for (const file of files) copyFileSync(file, `${file}.kept`)
  database.close()
  for (const file of files) renameSync(`${file}.kept`, file)
}
