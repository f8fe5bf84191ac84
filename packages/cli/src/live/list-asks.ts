import { awaitChange } from '@remora/intake'
import type { Ledger, SessionKey } from '@remora/ledger'
import { type Ask, formatRequest } from '@remora/protocol/plain'
import { findSession } from '../args/find-session.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { agentTitle } from '../detection/agent-names.ts'
import { readLedger } from '../ledger/read-ledger.ts'
import { withLedger } from '../ledger/with-ledger.ts'
import { type Colors, colors } from '../output/colors.ts'
import { plural } from '../output/format-number.ts'
import { ago } from '../output/format-time.ts'
import { writeAll, stopCode } from '../output/write-all.ts'
import { type Pending, toAskJson, pendingAsks, formatOptions } from './pending.ts'

/** Polling interval beside the ledger's change notifications. */
const lookMs = 2000
/** How much of a request a list shows. `remora asks <number>` shows all of one. */
const listed = 2_000

/** Lists open asks once, or continuously. */
export async function listAsks(input: Input, io: Io): Promise<number> {
  const { values, positionals } = input
  const agent = typeof values['agent'] === 'string' ? values['agent'] : undefined
  const [word] = positionals
  const paint = await colors(input, io)
  // An empty temporary ledger would never change, so that --watch opens the real one.
  return (values['watch'] ? withLedger : readLedger)(
    io,
    async (ledger) => {
      const one = word === undefined ? undefined : await findByNumber(ledger, word)
      if (one)
        return writeAll(io, [
          values['json']
            ? `${JSON.stringify([toAskJson(one)], null, 2)}\n`
            : formatPending(one, paint, Infinity),
        ])
      const key = word === undefined ? undefined : await findSession(ledger, word, io, agent)
      const look = async (): Promise<Pending[]> =>
        (await pendingAsks(ledger, key)).filter(
          (each) => (agent === undefined || each.agent === agent) && (values['all'] === true || each.waited),
        )
      if (values['watch']) return watch(ledger, look, values['json'] === true, paint, io)
      const found = await look()
      if (values['json']) return writeAll(io, [`${JSON.stringify(found.map(toAskJson), null, 2)}\n`])
      if (found.length === 0) return printNone(ledger, key, io)
      return writeAll(
        io,
        found.map((each, index) => `${index === 0 ? '' : '\n'}${formatPending(each, paint)}`),
      )
    },
    { current: false },
  )
}

/** The request that a number or an id names. */
async function findByNumber(ledger: Ledger, word: string): Promise<Pending | undefined> {
  return (await pendingAsks(ledger)).find(({ number, ask }) => number === word || ask.id === word)
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
  if (!json) io.err('Waiting for approval requests. Press Ctrl+C to stop.\n')
  while (!signal.aborted) {
    const changed = awaitChange(ledger, lookMs, signal)
    for (const each of await look()) {
      const id = `${each.ask.id} ${each.ask.digest}`
      if (seen.has(id)) continue
      seen.add(id)
      io.out(json ? `${JSON.stringify(toAskJson(each))}\n` : `${formatPending(each, paint)}\n`)
    }
    await changed
  }
  return stopCode(signal)
}

/** Formats a request for the list. The command to allow it is printed only if the request is shown in full. */
export function formatPending(
  { number, agent, session, ask, since, waited }: Pending,
  paint: Colors,
  limit = listed,
): string {
  const when = since === undefined ? '' : `, ${ago(since, Date.now())}`
  const about = `${agentTitle(agent)} ${session.slice(0, 8)}${when}${waited ? '' : ', agent exited'}`
  const { text, complete, omitted } = formatRequest(ask, { limit })
  const [title = '', ...rest] = text.split('\n')
  const lines = [
    `${paint.bold(number)}  ${paint.bold(title)}  ${paint.dim(about)}`,
    ...rest.map((line) => `      ${coloured(line, paint)}`),
    ...(complete
      ? []
      : [paint.yellow(`      (${plural(omitted, 'more character')}: remora asks ${number})`)]),
    ...formatOptions(ask).map((option) => `      ${paint.cyan(option)}`),
    ...(ask.freeText ? [`      ${paint.cyan('--text "…"')}`] : []),
    ...(waited && complete ? [paint.dim(`      Answer: remora answer ${number} ${formatChoice(ask)}`)] : []),
  ]
  return `${lines.join('\n')}\n`
}

function formatChoice({ options }: Ask): string {
  return options.length === 0 ? '--text "…"' : `<${options.map((_, index) => index + 1).join(', ')}>`
}

function coloured(line: string, paint: Colors): string {
  if (/^│ ?\+/.test(line)) return paint.green(line)
  return /^│ ?-/.test(line) ? paint.red(line) : line
}

async function printNone(ledger: Ledger, key: SessionKey | undefined, io: Io): Promise<number> {
  const left = (await pendingAsks(ledger, key)).length
  io.err(`No approval requests or questions${key ? ' in this session' : ''}.\n`)
  io.err(
    left > 0
      ? `  ${plural(left, 'request')} of exited agents: remora asks --all\n`
      : '  To include an agent in your editor, run it with: remora acp <agent>\n',
  )
  return 0
}
