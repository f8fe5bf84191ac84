import { mask } from '@remora/ledger'
import type { Channel, Event } from '@remora/protocol/plain'
import { colors } from '../../output/colors.ts'
import type { Io } from '../../command/io.ts'
import { oneLine } from '../../output/one-line.ts'
import { dateOf, timeOf } from '../../output/format-time.ts'
import { cutTo } from '../../output/text-width.ts'
import type { Input } from '../../command/verb.ts'
import type { Teller } from './trace-session.ts'

/** Tells the records of any channel, each as the agent gave it: what a trace is for agents that were not on a wire. */
export async function recordTeller(channel: Channel, input: Input, io: Io): Promise<Teller> {
  const { json, full } = input.values
  const paint = await colors(input, io)
  return {
    whole: false,
    *tell(events) {
      for (const event of events)
        if (event.origin.channel === channel && event.raw !== undefined) yield line(event)
    },
    end: () => '',
  }

  function line({ origin, raw, at, type }: Event): string {
    if (json) return `${JSON.stringify({ at, source: origin.source, key: origin.key, record: raw })}\n`
    const when = at > 0 ? `${dateOf(at)} ${timeOf(at)}` : '-'
    if (full) return `${paint.dim(when)} ${type}\n${JSON.stringify(raw, null, 2).replaceAll(/^/gm, '  ')}\n`
    const about = oneLine(mask(JSON.stringify(raw).slice(0, 2400)), 300)
    const room = io.columns === undefined ? Infinity : io.columns - when.length - type.length - 4
    return `${paint.dim(when)} ${paint.bold(type)}  ${cutTo(about, room)}\n`
  }
}
