import type { What } from '@remora/protocol/api'
import { create } from 'zustand'
import type { SessionKey } from '../wire/api.ts'

/** What to send to review. The sheet asks for the reviewers. */
export interface ReviewTarget {
  readonly session: SessionKey
  readonly what: What
  /** A short title. */
  readonly title: string
}

export const useReviewTarget = create<{ readonly target: ReviewTarget | undefined }>(() => ({
  target: undefined,
}))

/** Opens the sheet to start a review. @example openReview({ session, what: { kind: 'turn' }, title }) */
export function openReview(target: ReviewTarget): void {
  useReviewTarget.setState({ target })
}
