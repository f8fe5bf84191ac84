import type { What } from '@remora/protocol/api'
import { create } from 'zustand'
import type { SessionKey } from '../wire/api.ts'

/** What somebody wants to have reviewed: the sheet asks by whom. */
export interface ReviewTarget {
  readonly session: SessionKey
  readonly what: What
  /** What it is, in a few words. */
  readonly title: string
}

export const useReviewTarget = create<{ readonly target: ReviewTarget | undefined }>(() => ({
  target: undefined,
}))

/** Opens the sheet that sends it to other agents. @example openReview({ session, what: { kind: 'turn' }, title }) */
export function openReview(target: ReviewTarget): void {
  useReviewTarget.setState({ target })
}
