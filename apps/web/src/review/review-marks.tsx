import type { ReviewMark } from '@remora/protocol/api'
import { useEffect } from 'react'
import type { SessionKey } from '../wire/api.ts'
import { AgentMark } from '../ui/agent-mark.tsx'
import { RightIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { listMarks, useMarks, watchMarks } from './marks.ts'
import { showReview } from './review-tabs.ts'
import { getReviewStyle } from './styles.ts'

/** The reviews of a message. @example <ReviewMarks session={session} message={message.id} /> */
export function ReviewMarks({
  session: { agent, session },
  message,
}: {
  readonly session: SessionKey
  readonly message: string
}) {
  useEffect(() => watchMarks({ agent, session }), [agent, session])
  const marks = useMarks(({ sessions }) => listMarks(sessions, { agent, session }, message))
  if (!marks) return null
  return (
    <ul className="mt-2 flex flex-col gap-2">
      {marks.map((mark) => (
        <li key={mark.id}>
          <Mark mark={mark} />
        </li>
      ))}
    </ul>
  )
}

function Mark({ mark }: { readonly mark: ReviewMark }) {
  const { id, state, verdict, reviewers, findings, sentBack } = mark
  const isRunning = state === 'running'
  const done = reviewers.filter(({ state: its }) => its === 'done').length
  return (
    <button
      type="button"
      onClick={() => showReview(id)}
      data-testid="review-mark"
      className="flex min-h-13 w-full max-w-xl items-center gap-3 rounded-card border border-line bg-raised py-2 pr-2 pl-3 text-left hover:bg-sunken"
    >
      <span className="flex shrink-0 -space-x-1.5">
        {reviewers.slice(0, 3).map(({ agent }, index) => (
          <span key={index} className="rounded-lg bg-raised">
            <AgentMark agent={agent} className="size-7" />
          </span>
        ))}
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{mark.title}</span>
        <span className="block truncate text-sm text-dim">
          {isRunning || !verdict
            ? words.review.progress(done, reviewers.length)
            : [
                words.review.mark(findings.agreed, findings.disputed, findings.single),
                ...(sentBack.length > 0 ? [words.review.sentBefore] : []),
              ].join(' · ')}
        </span>
      </span>
      <span className={`shrink-0 rounded-full px-2 py-0.5 text-xs font-medium ${getReviewStyle(mark)}`}>
        {isRunning || !verdict ? words.review.states[state] : words.review.verdicts[verdict]}
      </span>
      <RightIcon className="size-4 shrink-0 text-dim" />
    </button>
  )
}
