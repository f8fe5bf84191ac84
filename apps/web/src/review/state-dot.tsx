import type { Review } from '@remora/protocol/api'

/** The state of a review as a dot. The text beside it says the same. */
export function StateDot({ review }: { readonly review: Review | undefined }) {
  const { state, verdict } = review ?? {}
  const style =
    state === undefined || state === 'running'
      ? 'animate-[breathe_1.2s_infinite] bg-accent'
      : state === 'failed'
        ? 'bg-bad'
        : verdict === 'approve'
          ? 'bg-good'
          : verdict === 'changes'
            ? 'bg-bad'
            : verdict === undefined
              ? 'bg-faint'
              : 'bg-warn'
  return <span aria-hidden="true" className={`size-2.5 shrink-0 rounded-full ${style}`} />
}
