import type { Review } from '@remora/protocol/api'
import { useState } from 'react'
import { toast } from '../state/toasts.ts'
import { ApiError, api } from '../wire/api.ts'
import { Button } from '../ui/button.tsx'
import { SendIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { takeReview } from './use-reviews.ts'

/** Sends the selected findings with a note to the author's session. */
export function SendBackBar({
  review,
  chosen,
  onSent,
}: {
  readonly review: Review
  readonly chosen: readonly string[]
  readonly onSent: () => void
}) {
  const [note, setNote] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ApiError>()
  const params = { id: review.id }
  const send = async (): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    try {
      await api.post('/api/reviews/:id/send-back', {
        params,
        body: { groups: chosen, note: note.trim() || undefined },
      })
      toast(words.review.sent)
      setNote('')
      onSent()
      takeReview(await api.get('/api/reviews/:id', { params }))
    } catch (error) {
      setProblem(error instanceof ApiError ? error : new ApiError(0, 'unknown', String(error)))
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className="pb-safe border-t border-line bg-raised px-4 pt-2">
      {problem && (
        <div role="alert" className="mb-2 rounded-xl bg-bad-soft p-3 text-sm">
          <p className="font-medium break-words text-bad">{problem.message}</p>
          {problem.hint && <p className="break-words text-dim">{problem.hint}</p>}
        </div>
      )}
      {chosen.length === 0 ? (
        <p className="flex min-h-11 items-center text-sm text-dim">{words.review.sendBackHint}</p>
      ) : (
        <div className="flex items-end gap-2">
          <textarea
            value={note}
            onChange={({ target }) => setNote(target.value)}
            aria-label={words.review.note}
            placeholder={words.review.note}
            maxLength={20_000}
            rows={1}
            className="field-sizing-content max-h-28 min-h-11 min-w-0 flex-1 resize-none rounded-xl border border-line bg-paper px-3 py-2"
          />
          <Button variant="primary" disabled={isBusy} onClick={() => void send()}>
            <SendIcon />
            {words.review.sendBack(chosen.length)}
          </Button>
        </div>
      )}
    </div>
  )
}
