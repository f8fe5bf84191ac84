import type { Message } from '@remora/protocol'
import { textOf } from '@remora/protocol/plain'
import { RightIcon } from '../../ui/icons.tsx'
import { words } from '../../words/index.ts'
import { PlainText } from '../../markdown/plain-text.tsx'
import { useOpen } from '../../tool-cards/use-open.ts'

/** What the agent told the model by itself: one line, and all of it on a tap. */
export function ContextNote({ message }: { readonly message: Message }) {
  const [isOpen, toggle] = useOpen(`context/${message.id}`, false)
  return (
    <div data-role="context" className="-mb-2 text-xs text-dim">
      <button
        type="button"
        aria-expanded={isOpen}
        title={words.message.contextHint}
        onClick={toggle}
        className="flex min-h-11 items-center gap-1.5 pr-3 text-faint hover:text-ink"
      >
        <RightIcon className={`size-3.5 transition ${isOpen ? 'rotate-90' : ''}`} />
        {words.message.context}
      </button>
      {isOpen && (
        <div className="mb-3 overflow-hidden rounded-card border border-line p-3 font-mono">
          <PlainText text={textOf(message)} lines={40} />
        </div>
      )}
    </div>
  )
}
