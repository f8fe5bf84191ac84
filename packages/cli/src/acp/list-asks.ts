import { awaitChange } from '@remora/intake'
import type { Ledger, SessionKey } from '@remora/ledger'
import type { Ask } from '@remora/protocol/plain'
import { agentTitle } from '../agent-names.ts'
import { type Colors, colors } from '../colors.ts'
import { findSession } from '../find-session.ts'
import type { Io } from '../io.ts'
import { pour, stopCode } from '../pour.ts'
import { harmless, oneLine } from '../run/one-line.ts'
import { plural } from '../say-number.ts'
import { ago } from '../say-time.ts'
import type { Input } from '../verb.ts'
import { withLedger } from '../with-ledger.ts'
import { type Pending, askJson, pendingAsks, sayOptions } from './pending.ts'
import { wantedOf } from './wanted.ts'

/** The ledger tells when there is something new; behind that one looks this often. */
const lookMs = 2000
/** So much of a change is shown; all of it is in --json. */
const bodyLines = 30

/** Shows what waits for a decision, once or as it comes. */
export async function listAsks(input: Input, io: Io): Promise<number> {
  const { values, positionals } = input
  const agent = typeof values['agent'] === 'string' ? values['agent'] : undefined
  const [word] = positionals
  const paint = await colors(input, io)
  return withLedger(
    io,
    async (ledger) => {
      const key = word === undefined ? undefined : await findSession(ledger, word, io, agent)
      const look = async (): Promise<Pending[]> =>
        (await pendingAsks(ledger, key)).filter(
          (each) => (agent === undefined || each.agent === agent) && (values['all'] === true || each.waited),
        )
      if (values['watch']) return watch(ledger, look, values['json'] === true, paint, io)
      const found = await look()
      if (values['json']) return pour(io, [`${JSON.stringify(found.map(askJson), null, 2)}\n`])
      if (found.length === 0) return sayNone(ledger, key, io)
      return pour(
        io,
        found.map((each, index) => `${index === 0 ? '' : '\n'}${told(each, paint)}`),
      )
    },
    { current: false },
  )
}

async function watch(
  ledger: Ledger,
  look: () => Promise<Pending[]>,
  json: boolean,
  paint: Colors,
  io: Io,
): Promise<number> {
  const signal = io.stopped?.() ?? new AbortController().signal
  const seen = new Set<string>()
  if (!json) io.err('Waiting for what agents ask. Ctrl+C ends.\n')
  while (!signal.aborted) {
    const changed = awaitChange(ledger, lookMs, signal)
    for (const each of await look()) {
      const id = `${each.ask.id} ${each.ask.digest}`
      if (seen.has(id)) continue
      seen.add(id)
      io.out(json ? `${JSON.stringify(askJson(each))}\n` : `${told(each, paint)}\n`)
    }
    await changed
  }
  return stopCode(signal)
}

function told({ number, agent, session, ask, since, waited }: Pending, paint: Colors): string {
  const when = since === undefined ? '' : `, ${ago(since, Date.now())}`
  const about = `${agentTitle(agent)} ${session.slice(0, 8)}${when}${waited ? '' : ', nobody waits for it any more'}`
  const body = ask.body === undefined ? [] : harmless(ask.body).split('\n')
  const more = body.length > bodyLines ? [paint.dim(`… ${plural(body.length - bodyLines, 'more line')}`)] : []
  const wanted = newsOf(ask)
  const lines = [
    `${paint.bold(number)}  ${paint.bold(oneLine(ask.title, 200))}  ${paint.dim(about)}`,
    ...(wanted === undefined ? [] : [`      ${oneLine(wanted, 500)}`]),
    ...[...body.slice(0, bodyLines).map((line) => coloured(line, paint)), ...more].map(
      (line) => `      ${line}`,
    ),
    ...sayOptions(ask).map((option) => `      ${paint.cyan(option)}`),
    ...(ask.freeText ? [`      ${paint.cyan('--text "…"')}`] : []),
    ...(waited ? [paint.dim(`      Decide: remora answer ${number} ${sayChoice(ask)}`)] : []),
  ]
  return `${lines.join('\n')}\n`
}

function sayChoice({ options }: Ask): string {
  return options.length === 0 ? '--text "…"' : `<${options.map((_, index) => index + 1).join(', ')}>`
}

/** What it would do, where title and body do not say it already. */
function newsOf(ask: Ask): string | undefined {
  const wanted = wantedOf(ask)
  const what = wanted?.replace(`${ask.tool}: `, '') ?? ''
  return `${ask.title}\n${ask.body ?? ''}`.includes(what) ? undefined : wanted
}

function coloured(line: string, paint: Colors): string {
  if (line.startsWith('+')) return paint.green(line)
  return line.startsWith('-') ? paint.red(line) : line
}

async function sayNone(ledger: Ledger, key: SessionKey | undefined, io: Io): Promise<number> {
  const left = (await pendingAsks(ledger, key)).length
  io.err(`Nothing waits for a decision${key ? ' in this session' : ''}.\n`)
  io.err(
    left > 0
      ? `  ${plural(left, 'ask')} of agents that are gone: remora asks --all\n`
      : '  Agents in an editor ask here too if they run by: remora acp <agent>\n',
  )
  return 0
}
