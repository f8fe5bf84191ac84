import type * as Insights from '@remora/insights'
import type { RiskLevel, UnaskedCall, UnaskedReport } from '@remora/insights'
import { mask, maskAll } from '@remora/ledger'
import { type ModeLike, findMode, formatExact, toModeLike } from '@remora/protocol/plain'
import { profiles } from '@remora/sdk/profiles'
import { findSession } from '../args/find-session.ts'
import { readFilter } from '../args/filter-options.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { agentTitle } from '../detection/agent-names.ts'
import { readLedger } from '../ledger/read-ledger.ts'
import { type Colors, colors } from '../output/colors.ts'
import { wholeNumber } from '../output/format-number.ts'
import { formatDate, formatTime } from '../output/format-time.ts'
import { writeAll } from '../output/write-all.ts'
import { checkSpan } from './desires/read-query.ts'
import { sessionIds } from './desires/format-call.ts'

const dayMs = 86_400_000
const usualDays = 7
const usualLimit = 20

/** Shows the tool calls that ran, or were blocked, without a person's answer. */
export async function showUnasked(input: Input, io: Io): Promise<number> {
  const { values } = input
  const insights = await import('@remora/insights')
  const now = Date.now()
  const { limit = usualLimit, ...filter } = { since: now - usualDays * dayMs, ...readFilter(input, io, now) }
  checkSpan(filter)
  return readLedger(io, async (ledger) => {
    const word = values['session']
    const session = typeof word === 'string' ? await findSession(ledger, word, io, filter.agent) : undefined
    const report = await insights.readUnasked(
      ledger,
      { ...filter, ...(session ? { session } : {}) },
      findLike,
    )
    if (values['json'])
      return writeAll(io, [
        `${JSON.stringify(maskAll([...toJson(report.ran, false), ...toJson(report.blocked, true)]), null, 2)}\n`,
      ])
    if (report.ran.length + report.blocked.length + report.answered === 0) {
      io.err('No tool calls in this time.\n  Look further back: remora audit --unasked --since 30d\n')
      return 0
    }
    const paint = await colors(input, io)
    const short = await sessionIds(ledger)
    const show = (found: UnaskedCall) => formatCall(found, insights, short, paint)
    const risky = report.ran.filter(({ level }) => level === 'high' || level === 'medium')
    const list = (calls: readonly UnaskedCall[]) => [
      ...calls.slice(0, limit).map(show),
      ...(calls.length > limit
        ? [`\n${wholeNumber(calls.length - limit)} more. Show them: --limit ${calls.length}\n`]
        : []),
    ]
    return writeAll(io, [
      summarize(report),
      ...list(values['all'] === true ? report.ran : risky),
      ...(report.blocked.length > 0 ? [`\n${paint.bold('Blocked without your answer')}\n`] : []),
      ...list(report.blocked),
    ])
  })
}

function findLike(agent: string, mode: string | undefined): ModeLike | undefined {
  const modes = profiles.find(({ id }) => id === agent)?.modes ?? []
  return findMode(modes, mode)?.like ?? toModeLike(mode)
}

function toJson(found: readonly UnaskedCall[], blocked: boolean): object[] {
  return found.map(({ call, reason, rule, level, risks }) => ({
    at: new Date(call.at).toISOString(),
    agent: call.agent,
    session: call.session,
    turn: call.turn,
    call: call.entity,
    tool: call.tool,
    native: call.native,
    input: call.input ?? null,
    cwd: call.cwd ?? null,
    status: call.status,
    blocked,
    reason,
    rule: rule ?? null,
    level,
    risks: risks.map(({ id }) => id),
  }))
}

function summarize({ ran, blocked, answered }: UnaskedReport): string {
  const count = (level: RiskLevel) => ran.filter((each) => each.level === level).length
  const parts = [
    `${wholeNumber(ran.length)} ran without your answer`,
    `${wholeNumber(answered)} with it`,
    `${wholeNumber(blocked.length)} blocked`,
  ]
  const risks = `Risk: ${count('high')} high, ${count('medium')} medium, ${count('low')} low, ${count('none')} none`
  return `Tool calls: ${parts.join(', ')}\n${risks}\n`
}

function formatCall(
  { call, reason, rule, level, risks }: UnaskedCall,
  insights: typeof Insights,
  short: (id: string) => string,
  paint: Colors,
): string {
  const tone = level === 'high' ? paint.red : level === 'medium' ? paint.yellow : paint.dim
  const meaning = risks.map((risk) => risk.meaning).join(', ') || 'changes nothing'
  const where = `${agentTitle(call.agent)} ${short(call.session)}`
  // A blocked call says itself what blocked it.
  const refusal = call.status === 'denied' ? formatLine(call.error ?? '') : ''
  const why = rule ?? (refusal || insights.unaskedReasons[reason])
  return [
    `\n${tone(level.padEnd(6))}  ${meaning}`,
    `        ${describeCall(call, insights)}`,
    paint.dim(`        ${formatDate(call.at)} ${formatTime(call.at)}  ${where}  ${why}`),
    '',
  ].join('\n')
}

/** What a call did, on one line. */
function describeCall(call: UnaskedCall['call'], { getCommandLine, listPaths }: typeof Insights): string {
  const { tool, input } = call
  const text = getCommandLine(input) ?? (listPaths(input).join(', ') || JSON.stringify(input ?? {}))
  return `${formatLine(tool)} ${formatLine(text)}`
}

function formatLine(text: string): string {
  return formatExact(mask(text), { layout: 'line', limit: 200 }).text
}
