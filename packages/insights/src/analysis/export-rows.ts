import { type CallEntry, maskAll } from '@remora/ledger'
import type { Desire } from './desire.ts'

/** One exported call; secrets of known formats are masked. */
export type ExportRow = Readonly<Record<string, unknown>>

/** Fields of payloads and records that a row already contains. */
const knownFields: ReadonlySet<string> = new Set([
  'tool_name',
  'toolName',
  'session_id',
  'sessionId',
  'tool_input',
  'toolInput',
  'cwd',
  'error',
])

/**
 * A call as a plain object, for JSON or CSV; a failed one with its class. `extra` has the other fields of its record.
 *
 * @example for (const call of await ledger.calls({ records: true })) write(exportRow(call))
 */
export function exportRow(call: CallEntry | Desire): ExportRow {
  return maskAll({
    id: call.id,
    at: new Date(call.at).toISOString(),
    endedAt: call.endedAt === undefined ? null : new Date(call.endedAt).toISOString(),
    agent: call.agent,
    session: call.session,
    turn: call.turn,
    tool: call.tool,
    native: call.native,
    status: call.status,
    ...('pattern' in call
      ? { class: call.class, rule: call.rule, detail: call.detail ?? null, pattern: call.pattern }
      : {}),
    error: call.error ?? null,
    cwd: call.cwd ?? null,
    channel: call.channel,
    input: call.input ?? null,
    extra: pickExtraFields(call.record) ?? null,
  })
}

function pickExtraFields(record: unknown): Record<string, unknown> | undefined {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return undefined
  return Object.fromEntries(Object.entries(record).filter(([field]) => !knownFields.has(field)))
}

/**
 * Lines of CSV (RFC 4180), the header first. Objects are written as JSON; `extra` is for JSON only.
 *
 * @example for (const line of csvLines(rows)) process.stdout.write(line)
 */
export function* csvLines(rows: Iterable<ExportRow>, columns: readonly string[]): Iterable<string> {
  yield `${columns.join(',')}\r\n`
  for (const row of rows) yield `${columns.map((column) => cell(row[column])).join(',')}\r\n`
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const callColumns = ['id', 'at', 'endedAt', 'agent', 'session', 'turn', 'tool', 'native', 'status']
const lastColumns = ['error', 'cwd', 'channel', 'input']
/** The CSV columns of each export. */
export const exportColumns = {
  invocations: [...callColumns, ...lastColumns],
  desires: [...callColumns, 'class', 'rule', 'detail', 'pattern', ...lastColumns],
} as const satisfies Readonly<Record<string, readonly string[]>>
