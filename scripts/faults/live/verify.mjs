import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importTranscripts } from '@remora/intake'
import { openLedger } from '@remora/ledger'
import { fold } from '@remora/protocol'

/** Checks that everything is in the ledger once and that all clients agree. Returns the problems. */
export async function verify({ ledger, stage, loads }) {
  const events = await readAllEvents(ledger)
  return [
    ...findDuplicates(events),
    ...(await findLostRecords(events, stage)),
    ...findLostHooks(events, loads),
    ...(await checkPrompts(events, ledger, stage, loads)),
    ...(await checkDialogs(ledger, stage)),
    ...stage.watchers.flatMap((watcher, index) => compareWatcher(events, watcher, index)),
    ...(await checkAudit(ledger)),
  ]
}

export async function readAllEvents(ledger) {
  const events = []
  for (let after; ;) {
    const page = await ledger.read({ limit: 1000, ...(after ? { after } : {}) })
    if (page.events.length === 0) return events
    events.push(...page.events)
    after = page.cursor
  }
}

function findDuplicates(events) {
  const seen = new Map()
  for (const { event } of events) seen.set(getName(event), (seen.get(getName(event)) ?? 0) + 1)
  return [...seen].flatMap(([name, count]) => (count > 1 ? [`${count} times in the ledger: ${name}`] : []))
}

/** Imports the final transcripts into a second ledger: every event of it must be in the first. */
async function findLostRecords(events, { homes, folder }) {
  const stored = new Set(events.map(({ event }) => getName(event)))
  const reference = await openLedger({ file: join(folder, 'reference.db') })
  try {
    for (const home of homes) await importTranscripts(reference, { home, env: {} })
    const expected = await readAllEvents(reference)
    if (expected.length === 0) return ['The agents wrote nothing']
    return expected.flatMap(({ event }) => (stored.has(getName(event)) ? [] : [`missing: ${getName(event)}`]))
  } finally {
    await reference.close()
  }
}

function findLostHooks(events, loads) {
  const results = new Map()
  for (const { event } of events)
    if (event.type === 'tool_result' && event.session.startsWith('hooked-'))
      results.set(event.entity, (results.get(event.entity) ?? 0) + 1)
  const twice = [...results].flatMap(([entity, count]) => (count === 1 ? [] : [`${count} times: ${entity}`]))
  const succeeded = loads.reduce((sum, { hooks }) => sum + hooks.succeeded, 0)
  return results.size === succeeded
    ? twice
    : [...twice, `${results.size} hooks in the ledger instead of ${succeeded}`]
}

/** A prompt reaches its agent at most once, and exactly once if its command is `done`. */
async function checkPrompts(events, ledger, { homes }, loads) {
  const problems = []
  const prompts = new Map(loads.flatMap((load) => [...load.prompts]))
  const received = homes.flatMap((home) => [
    ...readJsonLines(join(home, 'noted.jsonl')).flatMap(({ prompt }) => prompt ?? []),
    ...readJsonLines(join(home, 'received.jsonl')).flatMap(({ method, params }) =>
      method === 'session/prompt' ? params.prompt.map(({ text }) => text ?? '').join('') : [],
    ),
  ])
  const commands = new Map((await ledger.commands.list()).map((command) => [command.id, command]))
  const states = {}
  let arrived = 0
  for (const [name, { text, watcher }] of prompts) {
    const count = received.filter((each) => each === text).length
    const { state, reason } = commands.get(name) ?? {}
    const about = `${JSON.stringify(text)} is ${state}${reason ? ` (${reason})` : ''}`
    const kind = state ?? 'never stored'
    states[kind] = (states[kind] ?? 0) + 1
    if (state === 'refused' && count > 0) arrived++
    if (count > 1) problems.push(`${about}, but arrived ${count} times`)
    if (state === 'done' && count !== 1) problems.push(`${about}, but arrived ${count} times`)
    if (state === 'withdrawn' && count > 0) problems.push(`${about}, but arrived`)
    if (state === 'queued' || state === 'sent') problems.push(`${about} forever`)
    if (!commands.has(name) && watcher.acks.get(name)?.state === 'queued')
      problems.push(`${JSON.stringify(text)} was acknowledged but is missing`)
    const marked = events.filter(({ event }) => event.type === 'text' && event.text === name).length
    if (state === 'done' && text.startsWith('chunks') && marked > 1)
      problems.push(`The answer to ${about} exists ${marked} times`)
  }
  const doubtful = arrived > 0 ? `, ${arrived} of the refused ones reached their agent` : ''
  console.log(`${prompts.size} prompts: ${JSON.stringify(states)}${doubtful}`)
  return problems
}

/** A dialog has one effect, and it matches a recorded answer. */
async function checkDialogs(ledger, { homes }) {
  const problems = []
  const choices = homes
    .flatMap((home) => readJsonLines(join(home, 'noted.jsonl')))
    .filter(({ choice }) => choice !== undefined)
  const answers = (await ledger.audit.read({ limit: 1_000_000 })).filter(({ what }) => what === 'answer')
  const keys = { allow: 1, allow_session: 2, deny: 3 }
  for (const { command, choice } of choices) {
    const same = choices.filter((each) => each.command === command).length
    if (same > 1) problems.push(`${command} was answered ${same} times`)
    const given = answers
      .filter(({ detail }) => detail.ask.input?.command === command)
      .map(({ detail }) => keys[detail.answer.option])
    if (!given.includes(choice)) problems.push(`${command} received ${choice}, which no answer chose`)
  }
  for (const { ask } of await ledger.asks.pending()) problems.push(`still pending: ${ask.id} ${ask.title}`)
  console.log(`${choices.length} dialogs, ${answers.length} answers`)
  return problems
}

/** A client has the same events as the ledger, and they fold to the same messages. */
function compareWatcher(events, watcher, index) {
  const name = `client ${index}`
  const own = watcher.events
  if (own.length !== events.length)
    return [...watcher.problems, `${name} has ${own.length} events of ${events.length}`]
  const stored = groupBySession(events.map(({ event }) => removeRaw(event)))
  const reported = groupBySession(own.map(({ event }) => event))
  const wrong = [...stored].filter(
    ([key, list]) => digest(fold(reported.get(key) ?? [])) !== digest(fold(list)),
  )
  return [...watcher.problems, ...wrong.map(([key]) => `${name} folds ${key} differently`)]
}

async function checkAudit(ledger) {
  const { broken } = await ledger.audit.verify()
  return broken === undefined ? [] : [`The audit log is broken: ${JSON.stringify(broken)}`]
}

function groupBySession(events) {
  return Map.groupBy
    ? Map.groupBy(events, ({ agent, session }) => `${agent} ${session}`)
    : events.reduce((all, event) => {
        const key = `${event.agent} ${event.session}`
        return all.set(key, [...(all.get(key) ?? []), event])
      }, new Map())
}

/** Removes what clients do not receive. */
function removeRaw({ raw, ...event }) {
  return event.type === 'unknown' && raw !== undefined ? { ...event, raw } : event
}

function getName({ agent, session, origin }) {
  return JSON.stringify([agent, session, origin])
}

function digest(value) {
  return createHash('sha1').update(JSON.stringify(value)).digest('hex')
}

function readJsonLines(file) {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  } catch {
    return []
  }
}
