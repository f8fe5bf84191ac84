import type { ToolStatus } from '@remora/protocol/plain'

const denied =
  /^(?:Tool "[^"]*" (?:not found$|was denied by permission |was not run because the user rejected )|Plan mode is active\. You may only write|\w+ is not available in plan mode)/
const cancelled =
  /^Tool "[^"]*" was not run because the approval request was cancelled|(?:^|\n)Interrupted by user|^Tool execution (?:was )?aborted|aborted by the user|was interrupted\b/i
const timedOut = /Command (?:killed by timeout|timed out)/
/** How failures begin or end that the output of a run does not mark. */
const failed =
  /^(?:Invalid args for tool |"[^"\n]*" does not exist|read failed: |old_string )|Command failed with exit code: -?\d+\.?$/

/** The status of a call by its output. `isError` is unknown in the output of a run. */
export function toToolStatus(output: string, isError?: boolean): ToolStatus {
  const text = output.trim()
  if (isError === false) return 'success'
  if (denied.test(text)) return 'denied'
  if (cancelled.test(text)) return isError === undefined ? 'success' : 'cancelled'
  if (timedOut.test(text)) return isError === undefined ? 'success' : 'timeout'
  return isError || failed.test(text) ? 'error' : 'success'
}
