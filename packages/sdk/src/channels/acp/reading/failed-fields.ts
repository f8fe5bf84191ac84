import { parseJson } from '@remora/protocol/plain'
import { classifyError } from '../../../events/classify-error.ts'
import type { EventFields } from '../../../events/event-maker.ts'
import { asCount, asRecord, asString } from '../../../events/fields.ts'
import type { AgentRecord } from '../../../events/read-record.ts'

/** What an agent refused, and why, in our words for failures. */
export function toErrorFields(
  source: string,
  error: AgentRecord,
  severity: 'error' | 'warning' = 'warning',
): EventFields {
  const { text, status } = readReason(error)
  const { code, hint, retryable } = classifyError({ message: text, status })
  return { type: 'error', entity: `${source}/error/${text}`, code, severity, message: text, hint, retryable }
}

/** The words of an error, and its number: agents put what matters into different fields of its data. */
export function readReason(error: AgentRecord): { readonly text: string; readonly status?: number } {
  const told = asString(error['message']) ?? 'The agent refused without a reason'
  const { message, status: within } = parseMessage(told)
  const data = asRecord(error['data'])
  const inner = asRecord(data?.['error'])
  const details =
    asString(error['data']) ??
    asString(data?.['details']) ??
    asString(data?.['message']) ??
    asString(inner?.['message'])
  // Most numbers of the protocol say only which layer failed; this one says that the caller did.
  const wrong = error['code'] === -32602 ? 400 : undefined
  const status = within ?? asCount(inner?.['code']) ?? asCount(error['code']) ?? wrong
  const text = details === undefined || details === message ? message : `${message}: ${details}`
  return { text, ...(status === undefined ? {} : { status }) }
}

/** A service's answer is often handed on as it came. */
function parseMessage(text: string): { readonly message: string; readonly status?: number | undefined } {
  const start = text.indexOf('{')
  if (start === -1) return { message: text }
  try {
    const { error } = asRecord(parseJson(text.slice(start))) ?? {}
    const { message, code } = asRecord(error) ?? {}
    const words = asString(message)
    return words === undefined
      ? { message: text }
      : { message: text.slice(0, start) + words, status: asCount(code) }
  } catch {
    return { message: text }
  }
}
