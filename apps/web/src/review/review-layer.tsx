import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { useReviewTarget } from './open-review.ts'
import { ReviewPanel } from './review-panel.tsx'
import { ReviewSheet } from './review-sheet.tsx'
import { useReviewTabs } from './review-tabs.ts'
import { useReviews } from './use-reviews.ts'
import { ReviewIcon, RightIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { StateDot } from './state-dot.tsx'

/** The review sheet, panel and bar over or beside a conversation. */
export function ReviewLayer() {
  const target = useReviewTarget(({ target: current }) => current)
  const { tabs, isOpen } = useReviewTabs()
  useReviews()
  return (
    <ErrorBoundary>
      {tabs.length > 0 && (isOpen ? <ReviewPanel /> : <ReviewBar />)}
      {target && (
        <ReviewSheet target={target} onClose={() => useReviewTarget.setState({ target: undefined })} />
      )}
    </ErrorBoundary>
  )
}

/** The minimised reviews at the edge of the screen. */
function ReviewBar() {
  const { tabs, reviews } = useReviewTabs()
  const known = tabs.flatMap((id) => reviews.get(id) ?? [])
  const running = known.filter(({ state }) => state === 'running').length
  const found = known.reduce((sum, { groups }) => sum + groups.length, 0)
  const summary = [
    running > 0 ? words.review.running(running) : words.review.marks(tabs.length),
    words.review.findings(found),
  ].join(' · ')
  return (
    <button
      type="button"
      onClick={() => useReviewTabs.setState({ isOpen: true })}
      aria-label={`${words.review.open}: ${summary}`}
      data-testid="review-bar"
      className="pb-safe flex min-h-12 shrink-0 items-center gap-3 border-t border-line bg-raised px-4 pt-2 text-left hover:bg-sunken lg:w-14 lg:flex-col lg:border-t-0 lg:border-l lg:px-0 lg:pt-4"
    >
      <ReviewIcon className="size-5 text-accent" />
      <span className="flex gap-1 lg:flex-col">
        {tabs.map((id) => (
          <StateDot key={id} review={reviews.get(id)} />
        ))}
      </span>
      <span className="min-w-0 flex-1 truncate text-sm lg:hidden">{summary}</span>
      <span aria-hidden="true" className="hidden text-sm font-semibold lg:block">
        {found}
      </span>
      <RightIcon className="size-4 -rotate-90 text-dim lg:order-first lg:rotate-180" />
    </button>
  )
}
