import type { Review } from '@remora/protocol/api'
import { useEffect } from 'react'
import { useConnection } from '../state/connection.ts'
import { toast } from '../state/toasts.ts'
import { ApiError, api } from '../wire/api.ts'
import { words } from '../words/index.ts'
import { refreshMarks } from './marks.ts'
import { closeReview, putReview, useReviewTabs } from './review-tabs.ts'

const everyMs = 1_500

/** Refreshes running reviews while the app is visible. */
export function useReviews(): void {
  const tabs = useReviewTabs(({ tabs: all }) => all)
  const isOnline = useConnection(({ state }) => state === 'online')
  useEffect(() => {
    if (!isOnline || tabs.length === 0) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    const refresh = async (isFirst: boolean): Promise<void> => {
      clearTimeout(timer)
      const { reviews } = useReviewTabs.getState()
      const wanted = tabs.filter((id) => isFirst || reviews.get(id)?.state === 'running')
      if (document.visibilityState === 'visible') await Promise.all(wanted.map(load))
      if (!isOver) timer = setTimeout(() => void refresh(false), everyMs)
    }
    const onVisible = (): void => {
      if (document.visibilityState === 'visible') void refresh(true)
    }
    void refresh(true)
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      isOver = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [tabs, isOnline])
}

async function load(id: string): Promise<void> {
  try {
    takeReview(await api.get('/api/reviews/:id', { params: { id } }))
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) return
    toast(words.review.gone)
    closeReview(id)
  }
}

/** Stores a review, and refreshes the marks if its mark changed. */
export function takeReview(review: Review): void {
  const before = useReviewTabs.getState().reviews.get(review.id)
  putReview(review)
  if (before?.state !== review.state || before.sentBack.length !== review.sentBack.length)
    void refreshMarks(review.parent)
}
