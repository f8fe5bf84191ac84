import type { Group, Review, Severity } from '@remora/protocol/api'

/** The colours of a verdict. */
export function getVerdictStyle(verdict: Review['verdict']): string {
  if (verdict === 'approve') return 'bg-good-soft text-good'
  if (verdict === 'changes') return 'bg-bad-soft text-bad'
  return verdict === undefined ? 'bg-sunken text-dim' : 'bg-warn-soft text-warn'
}

/** The colours of a review: its verdict once there is one. */
export function getReviewStyle({ state, verdict }: Pick<Review, 'state' | 'verdict'>): string {
  if (state === 'running') return 'bg-accent-soft text-accent'
  return state === 'failed' ? 'bg-bad-soft text-bad' : getVerdictStyle(verdict)
}

export const severityStyles: Readonly<Record<Severity, string>> = {
  critical: 'bg-bad text-on-bad',
  major: 'bg-bad-soft text-bad',
  minor: 'bg-warn-soft text-warn',
  note: 'bg-sunken text-dim',
}

export const standingStyles: Readonly<Record<Group['standing'], string>> = {
  agreed: 'bg-good-soft text-good',
  disputed: 'bg-warn-soft text-warn',
  single: 'bg-sunken text-dim',
}
