import { type Ledger, type SessionEntry, mask } from '@remora/ledger'
import { type Channel, type Cursor, type Event, channels } from '@remora/protocol/plain'
import { findSession, headline } from '../../args/find-session.ts'
import { UsageError } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { agentTitle } from '../../detection/agent-names.ts'
import { readLedger } from '../../ledger/read-ledger.ts'
import { colors } from '../../output/colors.ts'
import { plural } from '../../output/format-number.ts'
import { formatDate, formatTime } from '../../output/format-time.ts'
import { oneLine } from '../../output/one-line.ts'
import { cutTo } from '../../output/text-width.ts'
import { writeAll, stopCode } from '../../output/write-all.ts'
import { Exchanges, methodFilter } from './exchange.ts'
import { TracePrinter } from './trace-printer.ts'
import { WireReader, readPages } from './wire.ts'

/** Turns events into printed lines. */
interface RecordPrinter {
  /** Whether all events must be read before the first is printed. */
  readonly whole: boolean
  print(events: readonly Event[]): Iterable<string>
  end(): string
  /** Printed if there were messages but none matched. */
  nothing?(): string
}

/** Progress of a trace. */
interface TraceState {
  /** The header, until it is printed. */
  head: string
  printed: boolean
  readonly counts: Map<Channel, number>
}

/** Prints the protocol messages between client and agent that the ledger has. */
export async function traceSession(input: Input, io: Io): Promise<number> {
  const { values, positionals } = input
  const agent = typeof values['agent'] === 'string' ? values['agent'] : undefined
  const channel = (values['channel'] ?? 'acp') as Channel
  if (channel !== 'acp' && values['method'] !== undefined)
    throw new UsageError('--method works only with the acp channel', 'Leave out --method or --channel')
  return readLedger(io, async (ledger) => {
    const entry = await findSession(ledger, positionals[0]!, io, agent)
    const printer =
      channel === 'acp' ? await createWirePrinter(input, io) : await createRecordPrinter(channel, input, io)
    const head = values['json'] ? '' : await formatHead(entry, channel, input, io)
    const state: TraceState = { head, printed: false, counts: new Map() }
    let end: Cursor | undefined
    const all = async function* (): AsyncGenerator<string> {
      end = yield* pieces(ledger, entry, printer, state)
    }
    const code = await writeAll(io, all())
    if (values['follow'] && end) return follow(ledger, entry, printer, state.head, end, io)
    if ((state.counts.get(channel) ?? 0) === 0) printNone(entry, channel, state.counts, io)
    else if (!state.printed) io.err(printer.nothing?.() ?? '')
    return code
  })
}

async function* pieces(
  ledger: Ledger,
  entry: SessionEntry,
  printer: RecordPrinter,
  state: TraceState,
): AsyncGenerator<string, Cursor> {
  const { counts } = state
  const held: Event[] = []
  const pages = readPages(ledger, entry)
  let page = await pages.next()
  for (; !page.done; page = await pages.next()) {
    const events = page.value
    for (const { raw, origin } of events)
      if (raw !== undefined) counts.set(origin.channel, (counts.get(origin.channel) ?? 0) + 1)
    if (printer.whole) for (const event of events) held.push(event)
    else yield* printAll(events)
  }
  yield* printAll(held)
  const rest = printer.end()
  if (rest !== '') yield below(rest)
  return page.value

  function* printAll(events: readonly Event[]): Generator<string> {
    for (const text of printer.print(events)) if (text !== '') yield below(text)
  }

  function below(text: string): string {
    const whole = state.head + text
    state.head = ''
    state.printed = true
    return whole
  }
}

/** Follows new events until it is stopped. */
async function follow(
  ledger: Ledger,
  entry: SessionEntry,
  printer: RecordPrinter,
  head: string,
  after: Cursor,
  io: Io,
): Promise<number> {
  const signal = io.stopped?.() ?? new AbortController().signal
  const { agent, session } = entry
  let first = head
  for await (const page of ledger.tail({ session: { agent, session }, after, signal })) {
    // Printed now, since more chunks may never arrive.
    const events = page.events.map(({ event }) => event)
    const text = [...printer.print(events)].join('') + printer.end()
    if (text !== '') {
      io.out(first + text)
      first = ''
    }
    const full = io.drain?.()
    if (full) await full
  }
  return stopCode(signal)
}

async function createWirePrinter(input: Input, io: Io): Promise<RecordPrinter> {
  const { json, full, method } = input.values
  const reader = new WireReader()
  const exchanges = new Exchanges()
  const wanted = methodFilter(typeof method === 'string' ? method : undefined)
  const seen = new Set<string>()
  const printer = new TracePrinter({
    paint: await colors(input, io),
    columns: io.columns,
    full: full === true,
  })
  return {
    whole: true,
    *print(events) {
      for (const wire of reader.read(events)) {
        const exchange = exchanges.add(wire)
        seen.add(exchange.update ?? exchange.method)
        if (!wanted(exchange)) continue
        const { at, from, message } = wire
        yield json ? `${JSON.stringify({ at: toIso(at), from, message })}\n` : printer.add(exchange)
      }
    },
    end: () => (json ? '' : printer.end()),
    nothing: () =>
      `No message in this session matches --method ${oneLine(String(method), 100)}\n` +
      `  Available: ${[...seen].map((name) => oneLine(name, 60)).join(', ')}\n`,
  }
}

async function formatHead(entry: SessionEntry, channel: Channel, input: Input, io: Io): Promise<string> {
  const paint = await colors(input, io)
  const about = `${agentTitle(entry.agent)} · ${entry.session}`
  const legend = channel === 'acp' ? '→ to the agent, ← from the agent' : `Records of the ${channel} channel`
  return `${paint.bold(headline(entry))}\n${paint.dim(about)}\n${paint.dim(legend)}\n\n`
}

/** Explains what exists if there are no messages of the channel. */
function printNone(
  entry: SessionEntry,
  channel: Channel,
  counts: ReadonlyMap<Channel, number>,
  io: Io,
): void {
  const others = channels.flatMap((name) => {
    const count = counts.get(name) ?? 0
    return count === 0 ? [] : [{ name, text: `${name} (${plural(count, 'record')})` }]
  })
  const what =
    channel === 'acp' ? 'No ACP messages recorded for this session' : `No ${channel} records for this session`
  const came = others.map(({ text }) => text).join(', ')
  io.err(`${what}${came === '' ? '.' : `. Recorded: ${came}.`}\n`)
  // The session may still have used ACP.
  if (channel === 'acp')
    io.err('  ACP messages are recorded by remora chat, remora acp, or connect() with a sink.\n')
  const [first] = others
  if (first && first.name !== 'acp')
    io.err(`  Show those records: remora sessions trace ${entry.session} --channel ${first.name}\n`)
  else if (first) io.err(`  Show them: remora sessions trace ${entry.session}\n`)
  else io.err(`  Read it: remora show ${entry.session}\n`)
}

/** Prints the raw records of a channel, for sessions without ACP. */
async function createRecordPrinter(channel: Channel, input: Input, io: Io): Promise<RecordPrinter> {
  const { json, full } = input.values
  const paint = await colors(input, io)
  return {
    whole: false,
    *print(events) {
      for (const event of events)
        if (event.origin.channel === channel && event.raw !== undefined) yield line(event)
    },
    end: () => '',
  }

  function line({ origin, raw, at, type }: Event): string {
    if (json)
      return `${JSON.stringify({ at: toIso(at), source: origin.source, key: origin.key, record: raw })}\n`
    const when = at > 0 ? `${formatDate(at)} ${formatTime(at)}` : '-'
    if (full) return `${paint.dim(when)} ${type}\n${JSON.stringify(raw, null, 2).replaceAll(/^/gm, '  ')}\n`
    const about = oneLine(mask(JSON.stringify(raw).slice(0, 2400)), 300)
    const width = io.columns === undefined ? Infinity : io.columns - when.length - type.length - 4
    return `${paint.dim(when)} ${paint.bold(type)}  ${cutTo(about, width)}\n`
  }
}

/** Some records have no time. */
function toIso(at: number): string | null {
  return at > 0 ? new Date(at).toISOString() : null
}
