import type { ErrorCode } from '@remora/protocol/plain'

/** 0 ok, 1 the agent failed, 2 usage, 3 agent missing or option unsupported, 4 timeout, 130 cancelled. */
export function exitCode(code: ErrorCode): number {
  if (code === 'usage' || code === 'config') return 2
  if (code === 'agent_missing' || code === 'agent_too_old' || code === 'unsupported') return 3
  if (code.startsWith('timeout_')) return 4
  return code === 'aborted' ? 130 : 1
}
