import type { AgentInfo, ReviewRequest } from '@remora/protocol/api'
import { findMode } from '@remora/protocol/plain'
import { useEffect, useState } from 'react'
import { local } from '../state/local.ts'
import { Busy } from '../ui/busy.tsx'
import { Button } from '../ui/button.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { Switch } from '../ui/switch.tsx'
import { ApiError, api } from '../wire/api.ts'
import { words } from '../words/index.ts'
import { type ChosenInstruction, InstructionField } from './instruction-field.tsx'
import type { ReviewTarget } from './open-review.ts'
import { showReview } from './review-tabs.ts'
import { type ChosenReviewer, ReviewerChoice } from './reviewer-choice.tsx'
import { takeReview } from './use-reviews.ts'

const remembered = 'reviewers'

/** Chooses the reviewers and instructions of a review. */
export function ReviewSheet({
  target,
  onClose,
}: {
  readonly target: ReviewTarget
  readonly onClose: () => void
}) {
  const [agents, setAgents] = useState<AgentInfo[]>()
  const [reviewers, setReviewers] = useState<readonly ChosenReviewer[]>([])
  const [instruction, setInstruction] = useState<ChosenInstruction>({ text: '' })
  const [isTrusted, setTrusted] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ApiError>()

  useEffect(() => {
    const over = new AbortController()
    api
      .get('/api/agents', { signal: over.signal })
      .then((answer) => {
        const able = answer.agents.filter(canReview)
        setAgents(able)
        setReviewers(usual(able, target.session.agent))
      })
      .catch((error: unknown) => {
        if (!over.signal.aborted) setProblem(asProblem(error))
      })
    return () => over.abort()
  }, [target])

  const start = async (): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    const { text, saved } = instruction
    const request: ReviewRequest = {
      parent: { agent: target.session.agent, session: target.session.session },
      what: target.what,
      reviewers: reviewers.map(({ agent, model }) => ({ agent, model: model || undefined, saved })),
      instruction: text.trim() || undefined,
      trust: isTrusted || undefined,
    }
    try {
      const review = await api.post('/api/reviews', { body: request })
      local.write(remembered, reviewers)
      onClose()
      showReview(review.id)
      takeReview(review)
    } catch (error) {
      setProblem(asProblem(error))
      setBusy(false)
    }
  }
  return (
    <Sheet
      title={words.review.title(target.title)}
      onClose={onClose}
      footer={
        <Button
          variant="primary"
          wide
          disabled={isBusy || reviewers.length === 0}
          onClick={() => void start()}
        >
          {isBusy
            ? words.review.starting
            : reviewers.length === 0
              ? words.review.startNone
              : words.review.start(reviewers.length)}
        </Button>
      }
    >
      <div className="flex flex-col gap-5">
        {agents ? (
          <ReviewerChoice agents={agents} chosen={reviewers} onChange={setReviewers} />
        ) : (
          !problem && <Busy />
        )}
        <InstructionField value={instruction} onChange={setInstruction} />
        <Switch label={words.review.trust} checked={isTrusted} onChange={setTrusted} />
        {problem && (
          <div role="alert" className="rounded-xl bg-bad-soft p-3 text-sm">
            <p className="font-medium break-words text-bad">{problem.message}</p>
            {problem.hint && <p className="break-words text-dim">{problem.hint}</p>}
          </div>
        )}
      </div>
    </Sheet>
  )
}

/** An installed agent with ACP and a read-only mode. */
function canReview({ installed, channels, permissionModes }: AgentInfo): boolean {
  return installed && channels.includes('headless') && findMode(permissionModes, 'plan') !== undefined
}

/** The reviewers of the last review that are still installed, else all agents but the author. */
function usual(agents: readonly AgentInfo[], own: string): ChosenReviewer[] {
  const before = local.read<ChosenReviewer[]>(remembered)
  const kept = (Array.isArray(before) ? before : []).filter(({ agent }) =>
    agents.some(({ id }) => id === agent),
  )
  return kept.length > 0
    ? kept
    : agents.flatMap(({ id }) => (id === own && agents.length > 1 ? [] : [{ agent: id, model: '' }]))
}

function asProblem(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(0, 'unknown', String(error))
}
