import type { Review } from '@remora/protocol/api'
import { create } from 'zustand'
import { local } from '../state/local.ts'

/** The open reviews, restored after a reload. */
interface ReviewTabs {
  readonly tabs: readonly string[]
  readonly current: string | undefined
  /** Whether the panel is open, not minimised. */
  readonly isOpen: boolean
  readonly reviews: ReadonlyMap<string, Review>
}

const key = 'reviews'
const maxTabs = 8

export const useReviewTabs = create<ReviewTabs>(() => ({
  tabs: [],
  current: undefined,
  isOpen: false,
  ...local.read<Pick<ReviewTabs, 'tabs' | 'current' | 'isOpen'>>(key),
  reviews: new Map(),
}))

useReviewTabs.subscribe(({ tabs, current, isOpen }, before) => {
  if (tabs !== before.tabs || current !== before.current || isOpen !== before.isOpen)
    local.write(key, tabs.length === 0 ? undefined : { tabs, current, isOpen })
})

/** Opens a review in its own tab. @example showReview(mark.id) */
export function showReview(id: string): void {
  useReviewTabs.setState(({ tabs }) => ({
    tabs: tabs.includes(id) ? tabs : [...tabs.slice(1 - maxTabs), id],
    current: id,
    isOpen: true,
  }))
}

export function closeReview(id: string): void {
  useReviewTabs.setState(({ tabs, current, isOpen }) => {
    const left = tabs.filter((each) => each !== id)
    // The neighbouring tab is shown instead.
    const next = current === id ? (left[tabs.indexOf(id)] ?? left.at(-1)) : current
    return { tabs: left, current: next, isOpen: isOpen && left.length > 0 }
  })
}

export function minimiseReviews(): void {
  useReviewTabs.setState({ isOpen: false })
}

/** Stores the current state of a review. */
export function putReview(review: Review): void {
  useReviewTabs.setState(({ reviews }) => ({ reviews: new Map(reviews).set(review.id, review) }))
}
