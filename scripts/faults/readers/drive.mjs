import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { drainSpool } from '@remora/intake'
import { openHome } from '@remora/ledger-postgres'
import { Event, Message, fold } from '@remora/protocol'
import { parseJson } from '@remora/protocol/plain'
import { findAgent, writeToSpool } from '@remora/sdk/hooks'
import { main } from '../../../packages/cli/dist/main.js'
import { EventMaker } from '../../../packages/sdk/dist/events/event-maker.js'
import { acpReader } from '../../../packages/sdk/dist/channels/acp/reading/read-update.js'
import { guardReader } from '../../../packages/sdk/dist/channels/headless/headless-run.js'

/** Characters that no verb may print: control characters except tabs and line ends, and bidirectional ones. */
// oxlint-disable-next-line no-control-regex -- it must match control characters
const hidden = /\r(?!\n)|[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/

/** A batch that uses more CPU time indicates quadratic code. */
const slowMs = 45_000

/**
 * Reads recordings through the channels into one ledger, then shows, searches and lists them. Returns the problems and the
 * output of `show --json` for the sessions of `control`.
 */
export async function drive(cases) {
  const home = mkdtempSync(join(tmpdir(), 'remora-readers-'))
  const problems = []
  const shown = new Map()
  const began = process.cpuUsage()
  try {
    const state = join(home, '.remora')
    const ledger = await openHome({ remoraHome: state, env: {} })
    try {
      for (const each of cases) {
        if (each.kind === 'transcript') placeTranscript(home, each)
        else if (each.kind === 'hooks') await drainHooks(ledger, state, each)
        else await ledger.append(readLive(each))
      }
    } finally {
      await ledger.close()
    }
    const command = async (...words) => {
      const result = await run(home, words)
      const failure = `${words.join(' ')}: ${result.err}`
      // An id that looks like a path or an option is not found, which is a correct error.
      const proper =
        words[0] === 'show' && !/^[\w.-]+$/.test(words.at(-1)) && !result.err.includes('This is a bug')
      if (result.code !== 0 && !proper) problems.push(`exit code ${result.code}, ${failure}`.slice(0, 2000))
      const [forbidden] = hidden.exec(result.out + result.err) ?? []
      if (forbidden) problems.push(`hidden character ${JSON.stringify(forbidden)} in: ${words.join(' ')}`)
      if (words.includes('--json')) checkJson(result.out, words, problems)
      return result
    }
    await command('import')
    const { out } = await command('sessions', '--all', '--json', '--limit', '1000')
    const sessions = tryParse(out) ?? []
    await checkLedger(state, problems)
    await command('sessions', '--all')
    for (const word of ['hello', 'the', 'file', '[']) {
      await command('search', word)
      await command('search', word, '--json')
    }
    await command('usage', '--json')
    await command('usage')
    await command('desires', 'paths')
    for (const { id, agent } of sessions) {
      if (id === '') continue
      const { out: messages } = await command('show', '--json', '--agent', agent, '--', id)
      shown.set(id, messages)
      for (const form of [[], ['--html'], ['--markdown'], ['--raw'], ['--all', '--thinking']])
        await command('show', ...form, '--agent', agent, '--', id)
    }
  } catch (error) {
    problems.push(`thrown: ${error?.stack ?? error}`)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
  const took = process.cpuUsage(began).user / 1000
  if (took > slowMs) problems.push(`slow: ${took} ms`)
  return { problems, shown }
}

async function drainHooks(ledger, state, { agent, lines }) {
  // The capacity of the spool.
  for (let from = 0; from < lines.length; from += 50) {
    for (const line of lines.slice(from, from + 50)) writeToSpool(state, agent, line.toString('utf8'))
    await drainSpool(ledger, { remoraHome: state })
  }
}

function placeTranscript(home, { agent, place, lines }) {
  const root = findAgent(agent).transcripts.root({ home, env: { HOME: home } })
  const path = join(root, place)
  mkdirSync(dirname(path), { recursive: true })
  if (agent === 'opencode') writeDatabase(path, lines)
  else writeFileSync(path, Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])))
}

/** Creates a database with those lines of a recording that are rows. */
function writeDatabase(path, lines) {
  const database = new Database(path)
  try {
    const columns = [
      'project_id',
      'parent_id',
      'slug',
      'directory',
      'title',
      'version',
      'revert',
      'model',
      'agent',
    ]
    database.exec(`
      CREATE TABLE IF NOT EXISTS session (id text PRIMARY KEY, ${columns.join(', ')}, time_created, time_updated);
      CREATE TABLE IF NOT EXISTS message (id text PRIMARY KEY, session_id, time_created, time_updated, data);
      CREATE TABLE IF NOT EXISTS part (id text PRIMARY KEY, message_id, session_id, time_created, time_updated, data);
      CREATE TABLE IF NOT EXISTS event (id text PRIMARY KEY, aggregate_id, seq, type, data)`)
    for (const line of lines) {
      // The rows themselves are valid; only their column `data` may not be.
      const text = line.toString('utf8')
      const [, table] = /^\{"table":"(session|message|part)"/.exec(text) ?? []
      if (table === undefined) continue
      const names = database.pragma(`table_info(${table})`).map(({ name }) => name)
      const row = tryParse(text) ?? {}
      const data = /"data":([\s\S]*)\}$/.exec(text)?.[1] ?? text
      const values = names.map((name) => {
        if (name === 'data') return data
        const value = row[name]
        return typeof value === 'object' && value !== null
          ? null
          : typeof value === 'boolean'
            ? 1
            : (value ?? null)
      })
      const marks = names.map(() => '?').join()
      database.prepare(`INSERT OR REPLACE INTO ${table} VALUES (${marks})`).run(...values)
    }
  } finally {
    database.close()
  }
}

/** Reads the records of a run or a connection. */
function readLive({ agent: id, kind, name, lines }) {
  const agent = findAgent(id)
  const channel = kind === 'acp' ? 'acp' : 'headless'
  const maker = new EventMaker({ agent: id, channel, source: name, session: `${channel}-${id}` })
  const records = []
  if (kind === 'headless') {
    const reader = guardReader(maker, agent.headless.reader(maker, { prompt: 'x' }))
    for (const line of lines) records.push({ events: reader.read(line.toString('utf8')) })
    for (const line of lines.slice(0, 3)) records.push({ events: reader.readError(line.toString('utf8')) })
    reader.end({ code: 0, signal: null }, lines.at(-1)?.toString('utf8') ?? '')
    return records
  }
  const reader = acpReader(maker, (native, input) => ({ name: native, input }))
  for (const line of lines) {
    const { from, message } = tryParseAcp(line)
    const events = reader.read({ from, message })
    maker.next()
    records.push({
      events: events ?? [maker.make({ type: 'unknown', entity: `${name}/unknown`, what: 'x', raw: message })],
    })
  }
  return records
}

function tryParseAcp(line) {
  try {
    const value = parseJson(line.toString('utf8'))
    const { from, message } = value
    if (typeof message === 'object' && message !== null && !Array.isArray(message))
      return { from: from === 'client' ? 'client' : 'agent', message }
  } catch {
    // A line that is not a message never reaches the reader.
  }
  return { from: 'agent', message: {} }
}

async function checkLedger(state, problems) {
  const ledger = await openHome({ remoraHome: state, env: {} })
  try {
    await ledger.indexText()
    const bySession = new Map()
    for (let after; ;) {
      const page = await ledger.read({ ...(after ? { after } : {}), limit: 500 })
      if (page.events.length === 0) break
      for (const { event } of page.events) {
        const parsed = Event.safeParse(event)
        if (!parsed.success)
          problems.push(`event: ${parsed.error.message} ${JSON.stringify(event).slice(0, 500)}`)
        const key = `${event.agent} ${event.session}`
        bySession.set(key, [...(bySession.get(key) ?? []), event])
      }
      after = page.cursor
    }
    for (const events of bySession.values())
      for (const message of fold(events)) {
        const parsed = Message.safeParse(message)
        if (!parsed.success)
          problems.push(`message: ${parsed.error.message} ${JSON.stringify(message).slice(0, 500)}`)
      }
    await ledger.calls()
  } finally {
    await ledger.close()
  }
}

async function run(home, words) {
  let out = ''
  let err = ''
  const code = await main(words, {
    env: { HOME: home, REMORA_HOME: join(home, '.remora'), REMORA_DEBUG: '1' },
    cwd: home,
    home,
    platform: 'linux',
    terminal: false,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
  })
  return { code, out, err }
}

function checkJson(out, words, problems) {
  if (out !== '' && tryParse(out) === undefined)
    problems.push(`${words.join(' ')}: not JSON: ${out.slice(0, 200)}`)
}

function tryParse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
