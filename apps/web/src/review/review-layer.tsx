import { Fence } from '../ui/fence.tsx'
import { useReviewWish } from './open-review.ts'
import { ReviewBar } from './review-bar.tsx'
import { ReviewPanel } from './review-panel.tsx'
import { ReviewSheet } from './review-sheet.tsx'
import { useReviewTabs } from './review-tabs.ts'
import { useReviews } from './use-reviews.ts'

/** Everything about reviews that stands over a conversation, or beside it. */
export function ReviewLayer() {
  const wish = useReviewWish(({ wish: current }) => current)
  const { tabs, isOpen } = useReviewTabs()
  useReviews()
  return (
    <Fence>
      {tabs.length > 0 && (isOpen ? <ReviewPanel /> : <ReviewBar />)}
      {wish && <ReviewSheet wish={wish} onClose={() => useReviewWish.setState({ wish: undefined })} />}
    </Fence>
  )
}
