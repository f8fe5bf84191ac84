import { describeSupport } from '@remora/protocol/plain'
import type { Finding } from './survey.ts'

/**
 * Describes what is not known to work in an installed version, and how to check it; undefined if everything is tested.
 *
 * @example describeDrift(finding)?.message // 'Claude Code 2.1.400: newer than the tested 2.1.326 (terminal untested)'
 */
export function describeDrift({
  id,
  title,
  support,
}: Pick<Finding, 'id' | 'title' | 'support'>): { message: string; hint: string } | undefined {
  const message = support === null ? undefined : describeSupport(support, { title })
  return message === undefined ? undefined : { message, hint: `Check it: remora doctor --probe ${id}` }
}
