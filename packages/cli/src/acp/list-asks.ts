import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger, SessionKey } from '@remora/ledger'
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
import { type Pending, askJson, pendingAsks, sayOption } from './pending.ts'

/** How often to look for what is new. */
const lookMs = 300
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
      if (values['watch']) return watch(look, values['json'] === true, paint, io)
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

async function watch(look: () => Promise<Pending[]>, json: boolean, paint: Colors, io: Io): Promise<number> {
  const signal = io.stopped?.() ?? new AbortController().signal
  const seen = new Set<string>()
  if (!json) io.err('Waiting for what agents ask. Ctrl+C ends.\n')
  while (!signal.aborted) {
    for (const each of await look()) {
      const id = `${each.ask.id} ${each.ask.digest}`
      if (seen.has(id)) continue
      seen.add(id)
      io.out(json ? `${JSON.stringify(askJson(each))}\n` : `${told(each, paint)}\n`)
    }
    await sleep(lookMs, undefined, { signal }).catch(() => {})
  }
  return stopCode(signal)
}

function told({ number, agent, session, ask, since, waited }: Pending, paint: Colors): string {
  const when = since === undefined ? '' : `, ${ago(since, Date.now())}`
  const about = `${agentTitle(agent)} ${session.slice(0, 8)}${when}${waited ? '' : ', nobody waits for it any more'}`
  const body = ask.body === undefined ? [] : harmless(ask.body).split('\n')
  const more = body.length > bodyLines ? [paint.dim(`… ${plural(body.length - bodyLines, 'more line')}`)] : []
  const lines = [
    `${paint.bold(number)}  ${paint.bold(oneLine(ask.title, 200))}  ${paint.dim(about)}`,
    ...[...body.slice(0, bodyLines).map((line) => coloured(line, paint)), ...more].map(
      (line) => `      ${line}`,
    ),
    ...ask.options.map((option) => `      ${paint.cyan(sayOption(option))}`),
    ...(ask.freeText ? [`      ${paint.cyan('--text "…"')}`] : []),
  ]
  return `${lines.join('\n')}\n`
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
