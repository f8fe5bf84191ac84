import type { AuditEntry, Ledger, SessionKey } from '@remora/ledger'
import { type Answer, type Ask, formatExact, formatRequest } from '@remora/protocol/plain'
import { readFilter } from '../args/filter-options.ts'
import { findSession } from '../args/find-session.ts'
import { UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { agentTitle } from '../detection/agent-names.ts'
import { readLedger } from '../ledger/read-ledger.ts'
import { formatAnswer } from '../live/pending.ts'
import { type Colors, colors } from '../output/colors.ts'
import { formatDate, formatTime, withIsoTimes } from '../output/format-time.ts'
import { oneLine } from '../output/one-line.ts'
import { writeAll } from '../output/write-all.ts'
import { checkSpan } from './desires/read-query.ts'

/** Shows or verifies the audit log. */
export async function showAudit(input: Input, io: Io): Promise<number> {
  const { values } = input
  return readLedger(
    io,
    async (ledger) => {
      if (values['verify'] === true) return verify(ledger, values['json'] === true, io)
      const limit = readLimit(values['limit'])
      const { since = -Infinity, until = Infinity } = readFilter(
        { values: { since: values['since'], until: values['until'] } },
        io,
      )
      checkSpan({ since, until })
      const agent = typeof values['agent'] === 'string' ? values['agent'] : undefined
      const word = values['session']
      const key = typeof word === 'string' ? await findKey(ledger, word, agent, io) : undefined
      const all = await ledger.audit.read(key ? { session: key } : {})
      const found = all.filter(
        (entry) => (agent === undefined || entry.agent === agent) && entry.at >= since && entry.at <= until,
      )
      const entries = limit === undefined ? found : found.slice(-limit)
      if (values['json'])
        return writeAll(io, [
          `${JSON.stringify(
            entries.map((entry) => withIsoTimes(entry, 'at')),
            null,
            2,
          )}\n`,
        ])
      if (entries.length === 0) {
        io.err('No approvals yet.\n  List open requests: remora asks\n')
        return 0
      }
      const paint = await colors(input, io)
      return writeAll(
        io,
        entries.map((entry) => formatEntry(entry, paint)),
      )
    },
    { current: false },
  )
}

async function verify(ledger: Ledger, json: boolean, io: Io): Promise<number> {
  const { entries, broken } = await ledger.audit.verify()
  const [last] = entries === 0 ? [] : await ledger.audit.read({ after: entries - 1 })
  if (json) {
    const report = { entries, broken: broken ?? null, last: last?.hash ?? null }
    io.out(`${JSON.stringify(report, null, 2)}\n`)
  } else if (!broken) {
    const head = last ? `, last hash ${last.hash}` : ''
    io.out(`${entries} ${entries === 1 ? 'entry' : 'entries'}, hash chain intact${head}\n`)
  }
  if (!broken) return 0
  io.err(`remora: The audit log is broken at entry ${broken.number}: ${broken.why}\n`)
  io.err('  Earlier entries are intact. Compare with a backup: remora data --help\n')
  return 1
}

/** A session that has only asks must be named by its full id. */
async function findKey(ledger: Ledger, word: string, agent: string | undefined, io: Io): Promise<SessionKey> {
  const [named] = (await ledger.audit.read()).filter(
    (entry) => entry.session === word && (agent === undefined || entry.agent === agent),
  )
  if (named?.agent !== undefined && named.session !== undefined)
    return { agent: named.agent, session: named.session }
  return findSession(ledger, word, io, agent)
}

function readLimit(value: string | boolean | undefined): number | undefined {
  if (typeof value !== 'string') return undefined
  const limit = Number(value)
  if (!Number.isInteger(limit) || limit < 1)
    throw new UsageError(`Invalid number of entries "${value}"`, 'For example: --limit 20')
  return limit
}

function formatEntry(entry: AuditEntry, paint: Colors): string {
  const { number, at, what, who, agent, session } = entry
  const where = agent === undefined ? '' : `  ${agentTitle(agent)} ${(session ?? '').slice(0, 8)}`
  const head = `${paint.bold(String(number).padStart(4))}  ${formatDate(at)} ${formatTime(at)}  `
  const lines = [`${head}${oneLine(what, 40)}  ${paint.bold(oneLine(who, 100))}${paint.dim(where)}`]
  for (const line of formatDetail(entry)) lines.push(`      ${line}`)
  return `${lines.join('\n')}\n`
}

function formatDetail({ what, detail }: AuditEntry): string[] {
  if (what === 'answer') return decision(detail as { ask?: Ask; answer?: Answer } | undefined)
  if (detail === undefined) return []
  if (what === 'not carried') {
    const { title = '' } = detail as { title?: string }
    return [`${oneLine(title, 120)}: the agent was no longer asking`]
  }
  return [oneLine(formatPersonDetail(what, detail as Detail) ?? JSON.stringify(detail), 200)]
}

interface Detail {
  readonly person?: string
  readonly role?: string
  readonly from?: string
  readonly to?: string
  readonly name?: string
  readonly mode?: string
  readonly promptKind?: string
  readonly text?: string
}

/** Describes entries about people and devices; undefined for other entries. */
function formatPersonDetail(
  what: string,
  { person, role, from, to, name, mode, promptKind, text }: Detail,
): string | undefined {
  if (what === 'mode') return mode
  if (what === 'prompt' && text !== undefined)
    return `${promptKind ?? 'text'}: ${formatExact(text, { layout: 'line', limit: 200 }).text}`
  if (person === undefined) return undefined
  if (what === 'role' && from && to) return `${person}: ${from} → ${to}`
  if (what === 'revoked' && name) return `${name} (${person})`
  return role !== undefined && /^(?:person added|person removed)$/.test(what)
    ? `${person}, ${role}`
    : undefined
}

function decision(detail: { ask?: Ask; answer?: Answer } | undefined): string[] {
  if (!detail?.ask || !detail.answer) return ['(session deleted)']
  const { ask, answer } = detail
  const wanted = formatRequest(ask, { layout: 'line', limit: 200, withoutTitle: true }).text
  const { device: _, ...bare } = answer
  return [
    `${formatExact(ask.title, { layout: 'line', limit: 120 }).text}: ${formatAnswer(ask, { ...bare, by: 'cancel' })}`,
    ...(wanted === '' ? [] : [wanted]),
  ]
}
