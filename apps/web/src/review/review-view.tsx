import type { Review } from '@remora/protocol/api'
import { useState } from 'react'
import { useIsViewer } from '../state/connection.ts'
import { toast, toastError } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { StopIcon, TrashIcon } from '../ui/icons.tsx'
import { formatTimeAgo } from '../ui/time-ago.ts'
import { api } from '../wire/api.ts'
import { words } from '../words/index.ts'
import { FindingCard } from './finding-card.tsx'
import { getReviewStyle } from './styles.ts'
import { refreshMarks } from './marks.ts'
import { ReviewerRow } from './reviewer-row.tsx'
import { closeReview } from './review-tabs.ts'
import { SendBackBar } from './send-back-bar.tsx'
import { takeReview } from './use-reviews.ts'

/** One review: its reviewers, findings and actions. */
export function ReviewView({ review }: { readonly review: Review }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const { groups, reviewers, state } = review
  const isViewer = useIsViewer()
  const isRunning = state === 'running'
  const answered = reviewers.some(({ opinion }) => opinion)
  const choose = (id: string, isChosen: boolean): void => {
    const next = new Set(chosen)
    if (isChosen) next.add(id)
    else next.delete(id)
    setChosen(next)
  }
  const sent = new Set(review.sentBack.flatMap((each) => each.groups))
  return (
    <>
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-4 py-3">
        <Head review={review} />
        <ul className="mt-3 flex flex-col gap-2">
          {reviewers.map((reviewer) => (
            <ReviewerRow key={reviewer.number} reviewer={reviewer} />
          ))}
        </ul>
        <div className="mt-5 mb-2 flex min-h-11 items-center gap-2">
          <h2 className="flex-1 font-semibold">{words.review.findings(groups.length)}</h2>
          {groups.length > 1 && !isViewer && (
            <Button
              variant="quiet"
              className="px-3 text-sm"
              onClick={() =>
                setChosen(new Set(chosen.size === groups.length ? [] : groups.map(({ id }) => id)))
              }
            >
              {chosen.size === groups.length ? words.review.chooseNone : words.review.chooseAll}
            </Button>
          )}
        </div>
        {groups.length === 0 && (
          <p className="text-dim">
            {isRunning
              ? words.review.noFindingsYet
              : answered
                ? words.review.noFindings
                : words.review.noAnswer}
          </p>
        )}
        <ul className="flex flex-col gap-3">
          {groups.map((group) => (
            <FindingCard
              key={group.id}
              group={group}
              review={review}
              isChosen={chosen.has(group.id)}
              isSent={sent.has(group.id)}
              onChoose={isViewer ? undefined : (isChosen) => choose(group.id, isChosen)}
            />
          ))}
        </ul>
        {!isViewer && <Actions review={review} />}
      </div>
      {groups.length > 0 && !isViewer && (
        <SendBackBar review={review} chosen={[...chosen]} onSent={() => setChosen(new Set())} />
      )}
    </>
  )
}

function Head({ review }: { readonly review: Review }) {
  const { state, verdict, agreement, reviewers, material } = review
  const isRunning = state === 'running'
  const done = reviewers.filter((each) => each.state !== 'queued' && each.state !== 'running').length
  return (
    <header>
      <p className="flex flex-wrap items-center gap-2" role="status">
        <span className={`rounded-full px-2.5 py-1 text-sm font-medium ${getReviewStyle(review)}`}>
          {isRunning || !verdict ? words.review.states[state] : words.review.verdicts[verdict]}
        </span>
        {!isRunning && verdict && state !== 'done' && (
          <span className="text-sm text-dim">{words.review.states[state]}</span>
        )}
        <span className="text-sm text-dim">
          {[
            ...(isRunning ? [words.review.progress(done, reviewers.length)] : []),
            ...(agreement === undefined ? [] : [words.review.agreement(Math.round(agreement * 100))]),
            formatTimeAgo(review.at),
          ].join(' · ')}
        </span>
      </p>
      {isRunning && (
        <span aria-hidden="true" className="mt-2 block h-1 overflow-hidden rounded-full bg-sunken">
          <span
            className="block h-full rounded-full bg-accent transition-all"
            style={{ width: `${Math.max(4, (done / Math.max(1, reviewers.length)) * 100)}%` }}
          />
        </span>
      )}
      {review.instruction && (
        <p className="mt-2 line-clamp-2 text-sm break-words text-dim">{review.instruction}</p>
      )}
      {material.omitted > 0 && (
        <p className="mt-1 text-sm text-warn">
          {words.review.omitted(material.omitted.toLocaleString(words.language))}
        </p>
      )}
    </header>
  )
}

function Actions({ review: { id, state, parent } }: { readonly review: Review }) {
  const [isSure, setSure] = useState(false)
  const cancel = (): void => {
    api.post('/api/reviews/:id/cancel', { params: { id } }).then(takeReview).catch(toastError)
  }
  const remove = (): void => {
    if (!isSure) return setSure(true)
    api
      .delete('/api/reviews/:id', { params: { id } })
      .then(() => {
        closeReview(id)
        toast(words.review.removed)
        void refreshMarks(parent)
      })
      .catch(toastError)
  }
  return (
    <div className="mt-5 flex flex-wrap gap-2">
      {state === 'running' ? (
        <Button onClick={cancel}>
          <StopIcon />
          {words.review.cancel}
        </Button>
      ) : (
        <Button variant={isSure ? 'danger' : 'quiet'} onClick={remove} onBlur={() => setSure(false)}>
          <TrashIcon />
          {isSure ? words.review.removeSure : words.review.remove}
        </Button>
      )}
    </div>
  )
}
