import type * as Insights from '@remora/insights'
import type { Decision, ModeChange, RiskLevel, UnaskedCall, UnaskedReport } from '@remora/insights'
import { type AuditEntry, type Ledger, type SessionKey, mask, maskAll } from '@remora/ledger'
import { type Answer, type Ask, findMode, formatExact, toModeLike } from '@remora/protocol/plain'
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
  const { findUnasked } = insights
  const now = Date.now()
  const { limit = usualLimit, ...filter } = { since: now - usualDays * dayMs, ...readFilter(input, io, now) }
  checkSpan(filter)
  return readLedger(io, async (ledger) => {
    const word = values['session']
    const session = typeof word === 'string' ? await findSession(ledger, word, io, filter.agent) : undefined
    const calls = await ledger.calls({ ...filter, ...(session ? { session } : {}) })
    const keys = new Map(calls.map(({ agent, session: id }) => [`${agent} ${id}`, { agent, session: id }]))
    const report = findUnasked(
      calls,
      await readDecisions(ledger),
      await readModes(ledger, [...keys.values()]),
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
    const listed = (values['all'] === true ? report.ran : risky).slice(0, limit)
    const rest = (values['all'] === true ? report.ran : risky).length - listed.length
    return writeAll(io, [
      summarize(report),
      ...listed.map(show),
      ...(rest > 0 ? [`\n${wholeNumber(rest)} more. Show them: --limit ${listed.length + rest}\n`] : []),
      ...(report.blocked.length > 0 ? [`\n${paint.bold('Blocked without your answer')}\n`] : []),
      ...report.blocked.slice(0, limit).map(show),
    ])
  })
}

async function readDecisions(ledger: Ledger): Promise<Decision[]> {
  return (await ledger.audit.read()).flatMap((entry) => toDecision(entry) ?? [])
}

function toDecision({ what, at, agent, session, detail }: AuditEntry): Decision | undefined {
  const { ask, answer } = (detail ?? {}) as { ask?: Ask; answer?: Answer }
  if (what !== 'answer' || agent === undefined || session === undefined || !ask || !answer) return undefined
  const effect = answer.inferred ?? ask.options.find(({ id }) => id === answer.option)?.effect
  const known = effect === 'deny_always' ? 'deny' : effect === 'other' ? 'allow' : effect
  // A question that was answered with text was answered by a person, too.
  const final = known ?? (answer.text === undefined ? undefined : 'allow')
  const rule =
    answer.by === 'policy'
      ? (answer.device ?? 'rule')
      : answer.by === 'timeout'
        ? 'no answer in time'
        : undefined
  return {
    agent,
    session,
    at,
    ...(ask.toolUse === undefined ? {} : { call: ask.toolUse }),
    ...(ask.tool === undefined ? {} : { tool: ask.tool }),
    ...(final === undefined ? {} : { effect: final }),
    ...(rule === undefined ? {} : { rule }),
  }
}

/** The modes of the sessions over time. */
async function readModes(ledger: Ledger, sessions: readonly SessionKey[]): Promise<ModeChange[]> {
  const found: ModeChange[] = []
  for (const session of sessions) {
    const modes = profiles.find(({ id }) => id === session.agent)?.modes ?? []
    for (let page = await ledger.read({ session }); page.events.length > 0;) {
      for (const { event } of page.events) {
        if (event.type !== 'status' || event.status !== 'mode') continue
        const value = typeof event.value === 'string' ? event.value : undefined
        found.push({ ...session, at: event.at, like: findMode(modes, value)?.like ?? toModeLike(value) })
      }
      page = await ledger.read({ session, after: page.cursor })
    }
  }
  return found.sort((one, other) => one.at - other.at)
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
