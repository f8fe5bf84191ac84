import { parseJson } from '@remora/protocol/plain'
import { classifyError } from '../../../events/classify-error.ts'
import type { EventFields } from '../../../events/event-maker.ts'
import { asCount, asRecord, asString } from '../../../events/fields.ts'
import type { AgentRecord } from '../../../events/read-record.ts'

/** Converts an error response to our failure fields. */
export function toErrorFields(
  source: string,
  error: AgentRecord,
  severity: 'error' | 'warning' = 'warning',
): EventFields {
  const { text, status } = readReason(error)
  const { code, hint, retryable } = classifyError({ message: text, status })
  return { type: 'error', entity: `${source}/error/${text}`, code, severity, message: text, hint, retryable }
}

/** Reads the message and status of an error, which agents put into different fields of its data. */
export function readReason(error: AgentRecord): { readonly text: string; readonly status?: number } {
  const reply = asString(error['message']) ?? 'The agent refused without a reason'
  const { message, status: within } = parseMessage(reply)
  const data = asRecord(error['data'])
  const inner = asRecord(data?.['error'])
  const details =
    asString(error['data']) ??
    asString(data?.['details']) ??
    asString(data?.['message']) ??
    asString(inner?.['message'])
  // Most codes of the protocol only name the layer that failed; this one means an error of the caller.
  const wrong = error['code'] === -32602 ? 400 : undefined
  const status = within ?? asCount(inner?.['code']) ?? asCount(error['code']) ?? wrong
  const text = details === undefined || details === message ? message : `${message}: ${details}`
  return { text, ...(status === undefined ? {} : { status }) }
}

/** Agents often forward the response of a service unchanged. */
function parseMessage(text: string): { readonly message: string; readonly status?: number | undefined } {
  const start = text.indexOf('{')
  if (start === -1) return { message: text }
  try {
    const { error } = asRecord(parseJson(text.slice(start))) ?? {}
    const { message, code } = asRecord(error) ?? {}
    const innerMessage = asString(message)
    return innerMessage === undefined
      ? { message: text }
      : { message: text.slice(0, start) + innerMessage, status: asCount(code) }
  } catch {
    return { message: text }
  }
}

/** Keeps an unknown message or an invalid line under its own name. */
export function toUnknownFields(source: string, raw: unknown): EventFields {
  const message = asRecord(raw)
  const update = asString(asRecord(asRecord(message?.['params'])?.['update'])?.['sessionUpdate'])
  const what = message ? (update ?? asString(message['method']) ?? 'reply') : 'text'
  return { type: 'unknown', entity: `${source}/unknown/${what}`, what, raw }
}
