import type { Review } from '@remora/protocol/api'
import { beforeEach, expect, it } from 'vitest'
import { closeReview, minimiseReviews, putReview, showReview, useReviewTabs } from './review-tabs.ts'

beforeEach(() => useReviewTabs.setState({ tabs: [], current: undefined, isOpen: false, reviews: new Map() }))

const state = () => {
  const { tabs, current, isOpen } = useReviewTabs.getState()
  return [tabs.join(''), current, isOpen]
}

it('opens each review once, and shows the neighbour of a closed one', () => {
  for (const id of ['a', 'b', 'c', 'a']) showReview(id)
  expect(state()).toEqual(['abc', 'a', true])
  closeReview('a')
  expect(state()).toEqual(['bc', 'b', true])
  closeReview('c')
  expect(state()).toEqual(['b', 'b', true])
  minimiseReviews()
  expect(state()).toEqual(['b', 'b', false])
  closeReview('b')
  expect(state()).toEqual(['', undefined, false])
})

it('keeps only the latest tabs', () => {
  for (const id of 'abcdefghij') showReview(id)
  expect(state()).toEqual(['cdefghij', 'j', true])
})

it('stores the state of each review', () => {
  putReview({ id: 'a', state: 'running' } as Review)
  putReview({ id: 'a', state: 'done' } as Review)
  expect(useReviewTabs.getState().reviews.get('a')?.state).toBe('done')
})
