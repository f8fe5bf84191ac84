import type { Message } from '@remora/protocol'
import { memo, useMemo, useState } from 'react'
import type { SessionKey } from '../../wire/api.ts'
import { words } from '../../words/index.ts'
import { useAgentNames } from '../../state/agents.ts'
import { ReviewMarks } from '../../review/review-marks.tsx'
import { ErrorBoundary } from '../../ui/error-boundary.tsx'
import { MessageContent } from './message-content.tsx'
import { NestedContext, SessionContext } from '../../tool-cards/session-context.ts'
import { MenuButton } from '../message-menu/message-menu.tsx'
import { useLongPress } from '../../ui/use-long-press.ts'
import { openMessageMenu } from '../message-menu/message-menu-store.ts'
import { getMessageText } from '@remora/protocol/plain'
import { RightIcon } from '../../ui/icons.tsx'
import { PlainText } from '../../markdown/plain-text.tsx'
import { useExpanded } from '../../tool-cards/use-expanded.ts'
import { fold } from '../../code/fold.ts'

export interface MessageViewProps {
  readonly session: SessionKey
  readonly message: Message
  readonly index: number
  /** Whether the next message is a user message, or there is none yet. */
  readonly endsTurn?: boolean
}

export const MessageView = memo(
  function MessageView({ session, message, index, endsTurn = true }: MessageViewProps) {
    const getAgentName = useAgentNames()
    const target = useMemo(() => ({ session, message, index }), [session, message, index])
    const press = useLongPress(() => openMessageMenu(target), {
      except: 'a, pre, input, textarea, dialog',
    })
    return (
      <SessionContext value={session}>
        <NestedContext value={MessageContent}>
          <ErrorBoundary>{body()}</ErrorBoundary>
        </NestedContext>
        <ReviewMarks session={session} message={message.id} />
      </SessionContext>
    )

    function body() {
      if (message.role === 'system') return <SystemNote message={message} />
      if (message.context) return <ContextNote message={message} />
      if (message.role === 'user')
        return (
          <article
            aria-label={words.chat.you}
            data-role="user"
            className="group/message flex justify-end"
            {...press}
          >
            <MenuButton target={target} place="beside" />
            <div className="max-w-[85%] min-w-0 self-center overflow-hidden rounded-2xl rounded-br-md bg-accent-soft px-3.5 py-2">
              <MessageContent message={message} />
              <InterruptedNote message={message} />
            </div>
          </article>
        )
      const isOnlyTools = !hasText(message)
      return (
        <article
          aria-label={getAgentName(message.tool)}
          data-role="assistant"
          // Messages with only tool calls are closer to each other.
          className={`group/message relative ${isOnlyTools ? '-mb-2' : ''}`}
          {...press}
        >
          <MessageContent message={message} />
          <InterruptedNote message={message} />
          <MenuButton target={target} place={endsTurn && !isOnlyTools ? 'below' : 'hidden'} />
        </article>
      )
    }
  },
  // Some callers create a new session key on each render.
  (before, after) =>
    before.message === after.message &&
    before.index === after.index &&
    before.endsTurn === after.endsTurn &&
    before.session.agent === after.session.agent &&
    before.session.session === after.session.session,
)

/** Says that the agent dropped a message, unless an incomplete block says so already. */
function InterruptedNote({ message }: { readonly message: Message }) {
  if (!message.interrupted) return null
  if (message.content.some((block) => 'partial' in block && block.partial)) return null
  return <p className="mt-1 text-xs text-faint">{words.message.interrupted}</p>
}

function hasText({ content }: Message): boolean {
  return Array.isArray(content) && content.some(({ type }) => type === 'text')
}

/** Context the agent added for the model, expandable. */
function ContextNote({ message }: { readonly message: Message }) {
  const [isOpen, toggle] = useExpanded(`context/${message.id}`, false)
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
          <PlainText text={getMessageText(message)} lines={40} />
        </div>
      )}
    </div>
  )
}

/** A message of the agent program itself. */
function SystemNote({ message }: { readonly message: Message }) {
  const [isWhole, setWhole] = useState(false)
  const text = getMessageText(message)
  const { text: shown, isFolded, lines } = fold(text, { lines: 6, characters: 600 })
  if (text.trim() === '') return null
  return (
    <div data-role="system" className="mx-auto max-w-[90%] text-center text-xs text-dim">
      <p dir="auto" className="[overflow-wrap:anywhere] whitespace-pre-wrap">
        {isWhole ? text : shown}
      </p>
      {isFolded && !isWhole && (
        <button
          type="button"
          onClick={() => setWhole(true)}
          className="min-h-11 px-4 font-medium text-accent"
        >
          {words.message.showAll(lines)}
        </button>
      )}
    </div>
  )
}
