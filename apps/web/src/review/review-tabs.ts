import type { Review } from '@remora/protocol/api'
import { create } from 'zustand'
import { local } from '../state/local.ts'

/** Reviews that stand open beside the conversation; which ones survives a reload. */
interface ReviewTabs {
  readonly tabs: readonly string[]
  readonly current: string | undefined
  /** Whether it is shown, or only said at the edge that it is there. */
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

/** Shows a review in a tab of its own. @example showReview(mark.id) */
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
    // What stood beside it is shown instead.
    const next = current === id ? (left[tabs.indexOf(id)] ?? left.at(-1)) : current
    return { tabs: left, current: next, isOpen: isOpen && left.length > 0 }
  })
}

export function minimiseReviews(): void {
  useReviewTabs.setState({ isOpen: false })
}

/** Takes how a review stands now. */
export function putReview(review: Review): void {
  useReviewTabs.setState(({ reviews }) => ({ reviews: new Map(reviews).set(review.id, review) }))
}
