import type { ErrorCode } from '@remora/protocol/plain'
import type { RunFailure } from '@remora/sdk'
import { oneLine } from './one-line.ts'

// The hints of the library name its options; on a command line these have other names.
const hints: Partial<Record<ErrorCode, string>> = {
  untrusted: 'Trust the folder in the agent’s CLI, or add --skip-trust.',
  timeout_startup: 'Increase --startup-timeout, or check: remora doctor',
  timeout_idle: 'Increase --idle-timeout, or check what the agent waits for.',
  timeout_total: 'Increase --timeout.',
}

/** What failed and what to do, a line each. */
export function describeError({ code, message, hint }: RunFailure): {
  what: string
  todo: string | undefined
} {
  const todo = hints[code] ?? hint?.replace('The answer is in result.text. ', '')
  return { what: oneLine(message, 400), todo: todo === undefined ? undefined : oneLine(todo, 400) }
}

/** The two lines in which the command tells a failure. @example errorLines(result.error) */
export function errorLines(error: RunFailure): string {
  const { what, todo } = describeError(error)
  return `remora: ${what}\n${todo === undefined ? '' : `  ${todo}\n`}`
}
