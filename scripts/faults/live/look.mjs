import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importTranscripts } from '@remora/intake'
import { openLedger } from '@remora/ledger'
import { fold } from '@remora/protocol'

/** Whether all is there, once, and everybody knows the same. Gives what is not as it should be. */
export async function look({ ledger, stage, loads }) {
  const events = await everything(ledger)
  return [
    ...once(events),
    ...(await transcribed(events, stage)),
    ...hooked(events, loads),
    ...(await delivered(events, ledger, stage, loads)),
    ...(await settled(ledger, stage)),
    ...stage.watchers.flatMap((watcher, index) => known(events, watcher, index)),
    ...(await audited(ledger)),
  ]
}

export async function everything(ledger) {
  const events = []
  for (let after; ;) {
    const page = await ledger.read({ limit: 1000, ...(after ? { after } : {}) })
    if (page.events.length === 0) return events
    events.push(...page.events)
    after = page.cursor
  }
}

function once(events) {
  const seen = new Map()
  for (const { event } of events) seen.set(getName(event), (seen.get(getName(event)) ?? 0) + 1)
  return [...seen].flatMap(([name, count]) => (count > 1 ? [`${count} times in the ledger: ${name}`] : []))
}

/** What the files hold in the end, read in peace by another ledger, must be in this one. */
async function transcribed(events, { homes, folder }) {
  const there = new Set(events.map(({ event }) => getName(event)))
  const reference = await openLedger({ file: join(folder, 'reference.db') })
  try {
    for (const home of homes) await importTranscripts(reference, { home, env: {} })
    const expected = await everything(reference)
    if (expected.length === 0) return ['The agents wrote nothing']
    return expected.flatMap(({ event }) => (there.has(getName(event)) ? [] : [`lost: ${getName(event)}`]))
  } finally {
    await reference.close()
  }
}

function hooked(events, loads) {
  const results = new Map()
  for (const { event } of events)
    if (event.type === 'tool_result' && event.session.startsWith('hooked-'))
      results.set(event.entity, (results.get(event.entity) ?? 0) + 1)
  const twice = [...results].flatMap(([entity, count]) => (count === 1 ? [] : [`${count} times: ${entity}`]))
  const taken = loads.reduce((sum, { hooks }) => sum + hooks.taken, 0)
  return results.size === taken
    ? twice
    : [...twice, `${results.size} hooks are in the ledger instead of ${taken}`]
}

/** A prompt reaches its agent once at most, and exactly once if that is what was said. */
async function delivered(events, ledger, { homes }, loads) {
  const problems = []
  const prompts = new Map(loads.flatMap((load) => [...load.prompts]))
  const got = homes.flatMap((home) => [
    ...readJsonLines(join(home, 'noted.jsonl')).flatMap(({ prompt }) => prompt ?? []),
    ...readJsonLines(join(home, 'heard.jsonl')).flatMap(({ method, params }) =>
      method === 'session/prompt' ? params.prompt.map(({ text }) => text ?? '').join('') : [],
    ),
  ])
  const commands = new Map((await ledger.commands.list()).map((command) => [command.id, command]))
  const states = {}
  let silent = 0
  for (const [name, { text, watcher }] of prompts) {
    const count = got.filter((each) => each === text).length
    const { state, reason } = commands.get(name) ?? {}
    const about = `${JSON.stringify(text)} is ${state}${reason ? ` (${reason})` : ''}`
    const kind = state ?? 'never stored'
    states[kind] = (states[kind] ?? 0) + 1
    if (state === 'refused' && count > 0) silent++
    if (count > 1) problems.push(`${about}, and was said ${count} times`)
    if (state === 'done' && count !== 1) problems.push(`${about}, and was said ${count} times`)
    if (state === 'withdrawn' && count > 0) problems.push(`${about}, and was said all the same`)
    if (state === 'queued' || state === 'sent') problems.push(`${about} for ever`)
    if (!commands.has(name) && watcher.acks.get(name)?.state === 'queued')
      problems.push(`${JSON.stringify(text)} was acknowledged and is lost`)
    const marked = events.filter(({ event }) => event.type === 'text' && event.text === name).length
    if (state === 'done' && text.startsWith('chunks') && marked > 1)
      problems.push(`The answer to ${about} is there ${marked} times`)
  }
  const doubtful = silent > 0 ? `, ${silent} of those refused had reached their agent` : ''
  console.log(`${prompts.size} prompts: ${JSON.stringify(states)}${doubtful}`)
  return problems
}

/** A dialog has one effect, and that is what somebody answered. */
async function settled(ledger, { homes }) {
  const problems = []
  const choices = homes
    .flatMap((home) => readJsonLines(join(home, 'noted.jsonl')))
    .filter(({ choice }) => choice !== undefined)
  const answers = (await ledger.audit.read({ limit: 1_000_000 })).filter(({ what }) => what === 'answer')
  const meant = { allow: 1, allow_session: 2, deny: 3 }
  for (const { command, choice } of choices) {
    const same = choices.filter((each) => each.command === command).length
    if (same > 1) problems.push(`${command} was answered ${same} times`)
    const given = answers
      .filter(({ detail }) => detail.ask.input?.command === command)
      .map(({ detail }) => meant[detail.answer.option])
    if (!given.includes(choice)) problems.push(`${command} got ${choice}, and nobody had answered that`)
  }
  for (const { ask } of await ledger.asks.pending()) problems.push(`still asked: ${ask.id} ${ask.title}`)
  console.log(`${choices.length} dialogs, ${answers.length} answers`)
  return problems
}

/** What a surface knows is what the ledger has, and folds to the same messages. */
function known(events, watcher, index) {
  const name = `client ${index}`
  const own = watcher.events
  if (own.length !== events.length)
    return [...watcher.problems, `${name} has ${own.length} events of ${events.length}`]
  const stored = listSessions(events.map(({ event }) => lean(event)))
  const reported = listSessions(own.map(({ event }) => event))
  const wrong = [...stored].filter(
    ([key, list]) => digest(fold(reported.get(key) ?? [])) !== digest(fold(list)),
  )
  return [...watcher.problems, ...wrong.map(([key]) => `${name} folds ${key} differently`)]
}

async function audited(ledger) {
  const { broken } = await ledger.audit.verify()
  return broken === undefined ? [] : [`The audit log does not hold: ${JSON.stringify(broken)}`]
}

function listSessions(events) {
  return Map.groupBy
    ? Map.groupBy(events, ({ agent, session }) => `${agent} ${session}`)
    : events.reduce((all, event) => {
        const key = `${event.agent} ${event.session}`
        return all.set(key, [...(all.get(key) ?? []), event])
      }, new Map())
}

/** As surfaces get it. */
function lean({ raw, ...event }) {
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
