import { parseJson } from '@remora/protocol/plain'
import { classifyError } from '../../../events/classify-error.ts'
import type { EventFields } from '../../../events/event-maker.ts'
import { countOf, fieldsOf, stringOf } from '../../../events/fields.ts'
import type { AgentRecord } from '../../../events/read-record.ts'

/** What an agent refused, and why, in our words for failures. */
export function failedFields(
  source: string,
  error: AgentRecord,
  severity: 'error' | 'warning' = 'warning',
): EventFields {
  const { text, status } = reasonOf(error)
  const { code, hint, retryable } = classifyError({ message: text, status })
  return { type: 'error', entity: `${source}/error/${text}`, code, severity, message: text, hint, retryable }
}

/** The words of an error, and its number: agents put what matters into different fields of its data. */
export function reasonOf(error: AgentRecord): { readonly text: string; readonly status?: number } {
  const told = stringOf(error['message']) ?? 'The agent refused without a reason'
  const { message, status: within } = wordsIn(told)
  const data = fieldsOf(error['data'])
  const inner = fieldsOf(data?.['error'])
  const details =
    stringOf(error['data']) ??
    stringOf(data?.['details']) ??
    stringOf(data?.['message']) ??
    stringOf(inner?.['message'])
  // Most numbers of the protocol say only which layer failed; this one says that the caller did.
  const wrong = error['code'] === -32602 ? 400 : undefined
  const status = within ?? countOf(inner?.['code']) ?? countOf(error['code']) ?? wrong
  const text = details === undefined || details === message ? message : `${message}: ${details}`
  return { text, ...(status === undefined ? {} : { status }) }
}

/** A service's answer is often handed on as it came. */
function wordsIn(text: string): { readonly message: string; readonly status?: number | undefined } {
  const start = text.indexOf('{')
  if (start === -1) return { message: text }
  try {
    const { error } = fieldsOf(parseJson(text.slice(start))) ?? {}
    const { message, code } = fieldsOf(error) ?? {}
    const words = stringOf(message)
    return words === undefined
      ? { message: text }
      : { message: text.slice(0, start) + words, status: countOf(code) }
  } catch {
    return { message: text }
  }
}
