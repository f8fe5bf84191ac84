import { useRoute } from 'wouter'
import { openAsk } from '../asks/open-ask.ts'
import { useIsViewer } from '../state/connection.ts'
import { useLive } from '../state/live.ts'
import { QuestionIcon, RightIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'

/** Somebody waits for an answer: it stands above the list and does not scroll away. Elsewhere a banner says it. */
export function AsksRow() {
  const count = useLive(({ asks }) => asks.filter(({ settled }) => !settled).length)
  const [isList] = useRoute('/')
  const isViewer = useIsViewer()
  if (count === 0 || !isList) return null
  return (
    <div role="status" className="px-4 pt-1.5 pb-1">
      <button
        type="button"
        data-testid="ask-banner"
        onClick={() => openAsk()}
        className="flex min-h-16 w-full items-center gap-3 rounded-card border border-warn bg-warn-soft px-3 py-2 text-left text-warn"
      >
        <span className="flex size-10 shrink-0 items-center justify-center rounded-xl bg-warn text-warn-soft">
          <QuestionIcon className="size-6" />
        </span>
        <span className="min-w-0 flex-1">
          <span className="block font-semibold">{words.sessions.waiting(count)}</span>
          <span className="block text-sm">
            {isViewer ? words.sessions.waitingHintViewer : words.sessions.waitingHint}
          </span>
        </span>
        <RightIcon />
      </button>
    </div>
  )
}
