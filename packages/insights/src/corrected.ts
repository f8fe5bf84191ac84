import type { CallEntry } from '@remora/ledger'
import { errorText } from './error-text.ts'
import { paveMark } from './pave/hook.ts'

/**
 * Whether a call ended because the pave hook refused it and told the agent what to do instead. A command that ran and
 * only printed such words did not.
 *
 * @example isCorrected({ failed: true, error: 'Tool execution blocked: Corrected by an alias in Remora: …' }) // true
 */
export function isCorrected({ failed, error }: Pick<CallEntry, 'failed' | 'error'>): boolean {
  return failed && error !== undefined && error.includes(paveMark) && errorText(error).exit === undefined
}
