import type { Review } from '@remora/protocol/api'
import { type KeyboardEvent, useRef } from 'react'
import { Busy } from '../ui/busy.tsx'
import { IconButton } from '../ui/button.tsx'
import { CloseIcon, DownIcon, RightIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { closeReview, minimiseReviews, useReviewTabs } from './review-tabs.ts'
import { ReviewView } from './review-view.tsx'
import { StateDot } from './state-dot.tsx'

/** Reviews in tabs: over the lower half of a phone, or beside the conversation. */
export function ReviewPanel() {
  const { tabs, current, reviews } = useReviewTabs()
  const list = useRef<HTMLDivElement>(null)
  const chosen = current !== undefined && tabs.includes(current) ? current : tabs[0]!
  const review = reviews.get(chosen)

  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = tabs[(tabs.indexOf(chosen) + step + tabs.length) % tabs.length]!
    useReviewTabs.setState({ current: next })
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLElement>('[role=tab][aria-selected=true]')?.focus(),
    )
  }
  return (
    <section
      aria-label={words.review.reviews}
      data-testid="review-panel"
      className="fixed inset-x-0 bottom-0 z-30 flex h-[56dvh] animate-[rise_160ms_ease-out] flex-col overflow-hidden rounded-t-2xl border-t border-line bg-paper shadow-[0_-8px_32px_rgb(0_0_0/18%)] lg:static lg:z-auto lg:h-auto lg:w-105 lg:shrink-0 lg:animate-none lg:rounded-none lg:border-t-0 lg:border-l lg:shadow-none"
    >
      <div className="flex items-center border-b border-line bg-raised pr-1">
        <div
          ref={list}
          role="tablist"
          aria-label={words.review.reviews}
          onKeyDown={onKey}
          className="flex min-w-0 flex-1 overflow-x-auto"
        >
          {tabs.map((id) => {
            const isChosen = id === chosen
            const title = getTitle(id, tabs, reviews)
            return (
              <button
                key={id}
                type="button"
                role="tab"
                id={`review-tab-${id}`}
                aria-selected={isChosen}
                aria-controls="review-view"
                tabIndex={isChosen ? 0 : -1}
                onClick={() => useReviewTabs.setState({ current: id })}
                className={`flex min-h-13 max-w-48 shrink-0 items-center gap-2 border-b-2 px-4 -outline-offset-2 ${isChosen ? 'border-accent text-ink' : 'border-transparent text-dim'}`}
              >
                <StateDot review={reviews.get(id)} />
                <span className="truncate">{title}</span>
              </button>
            )
          })}
        </div>
        <IconButton
          label={words.review.closeTab(getTitle(chosen, tabs, reviews))}
          onClick={() => closeReview(chosen)}
        >
          <CloseIcon />
        </IconButton>
        <IconButton label={words.review.minimise} onClick={minimiseReviews}>
          <DownIcon className="size-5 lg:hidden" />
          <RightIcon className="hidden size-5 lg:block" />
        </IconButton>
      </div>
      <div
        role="tabpanel"
        id="review-view"
        aria-labelledby={`review-tab-${chosen}`}
        className="flex min-h-0 flex-1 flex-col"
      >
        {review ? <ReviewView key={review.id} review={review} /> : <Busy />}
      </div>
    </section>
  )
}

/** Reviews with equal titles are numbered. */
function getTitle(id: string, tabs: readonly string[], reviews: ReadonlyMap<string, Review>): string {
  const title = reviews.get(id)?.title
  if (title === undefined) return words.app.loading
  const same = tabs.filter((each) => reviews.get(each)?.title === title)
  return same.length > 1 ? words.review.numbered(title, same.indexOf(id) + 1) : title
}
