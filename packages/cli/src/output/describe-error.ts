import type { ErrorCode } from '@remora/protocol/plain'
import type { RunFailure } from '@remora/sdk'
import { oneLine } from './one-line.ts'

// The SDK's hints name its options, which have other names on the command line.
const hints: Partial<Record<ErrorCode, string>> = {
  untrusted: 'Trust the folder in the agent’s CLI, or add --skip-trust.',
  timeout_startup: 'Increase --startup-timeout, or check: remora doctor',
  timeout_idle: 'Increase --idle-timeout, or check what the agent waits for.',
  timeout_total: 'Increase --timeout.',
}

/** What failed and what to do, one line each. */
export function describeError({ code, message, hint }: RunFailure): {
  what: string
  todo: string | undefined
} {
  const todo = hints[code] ?? hint?.replace('The answer is in result.text. ', '')
  return { what: oneLine(message, 400), todo: todo === undefined ? undefined : oneLine(todo, 400) }
}

/** Formats a failure as two lines. @example errorLines(result.error) */
export function errorLines(error: RunFailure): string {
  const { what, todo } = describeError(error)
  return `remora: ${what}\n${todo === undefined ? '' : `  ${todo}\n`}`
}
