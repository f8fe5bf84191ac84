import { type RefObject, useEffect, useId, useLayoutEffect, useReducer, useRef, useState } from 'react'
import { useConnection, useIsViewer } from '../state/connection.ts'
import type { PendingAsk } from '../state/live.ts'
import { words } from '../words/index.ts'
import { useAgentNames } from '../state/agents.ts'
import { AskContent } from './ask-content.tsx'
import { AskHeader, TimeLeft } from './ask-header.tsx'
import { AskOptions, groupOptions } from './ask-options.tsx'
import { formatSettlement, getEffect, isMine } from './settlement.ts'
import { keepText, toAskKey, useAskView } from './open-ask.ts'
import { useTapGuard } from './use-tap-guard.ts'
import { DownIcon } from '../ui/icons.tsx'
import { getAskName } from './choose-ask.ts'
import { Button } from '../ui/button.tsx'
import type { Answer } from '@remora/protocol'
import { client } from '../state/client.ts'
import { ApiError } from '../wire/api.ts'
import { CutTexts } from './exact-text.tsx'

/** How long the user's own decision is shown before the next request. */
const ownDecisionMs = 900
/** With more options than this, or for a question, the options scroll with the content. Deny stays in the footer. */
const maxFooterOptions = 4

export interface AskDialogProps {
  readonly pending: PendingAsk
  /** The position of this request, counted from 1. */
  readonly place: number
  readonly count: number
  readonly onNext: (() => void) | undefined
  /** Closes the dialog without a decision. */
  readonly onAside: () => void
  /** Called when the user's own decision was shown long enough. */
  readonly onOver: () => void
}

/** The dialog for one request. Escape closes it and never decides. */
export function AskDialog({ pending, place, count, onNext, onAside, onOver }: AskDialogProps) {
  const getAgentName = useAgentNames()
  const { agent, ask } = pending
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const titleId = useId()
  const bodyId = useId()
  const content = toAskKey(pending)
  const isChanged = useChanged(pending)
  const guard = useTapGuard(content)
  const [cuts, countCut] = useReducer((count: number, change: 1 | -1) => count + change, 0)
  const { sent, problem, outcome, answer } = useAnswer(pending)
  const clientId = useConnection(({ client: id }) => id)
  const isOnline = useConnection(({ state }) => state === 'online')
  const person = useConnection(({ person: name }) => name)
  const isViewer = useIsViewer()
  const settled = pending.settled ?? outcome
  const isInert = !isOnline || sent !== undefined || settled !== undefined

  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  // The heading gets the focus and not a button, so that a stray key cannot decide.
  useLayoutEffect(() => {
    heading.current?.focus()
    scroller.current?.scrollTo({ top: 0 })
  }, [content])
  const isOwn = pending.settled !== undefined && isMine(pending.settled, clientId)
  useEffect(() => {
    if (!isOwn) return undefined
    const timer = setTimeout(onOver, ownDecisionMs)
    return () => clearTimeout(timer)
  }, [isOwn, content, onOver])

  const { allow, other, deny } = groupOptions(isViewer ? [] : ask.options)
  const areOptionsScrolled = ask.kind === 'question' || ask.options.length > maxFooterOptions
  const shared = {
    guard,
    isInert,
    sent: sent?.option,
    onChoose: ({ id }: { readonly id: string }) => answer({ option: id }),
  }
  return (
    <dialog
      ref={dialog}
      role="alertdialog"
      aria-labelledby={titleId}
      aria-describedby={bodyId}
      data-testid="ask"
      onCancel={(event) => {
        event.preventDefault()
        onAside()
      }}
      className="m-0 mt-auto flex max-h-[94dvh] w-full max-w-none animate-[rise_160ms_ease-out] flex-col overflow-hidden sides-safe rounded-t-3xl border-t border-line bg-raised text-ink shadow-2xl outline-none backdrop:bg-shade lg:m-auto lg:max-h-[88dvh] lg:max-w-2xl lg:rounded-3xl lg:border [@media(max-height:520px)]:block [@media(max-height:520px)]:max-h-dvh [@media(max-height:520px)]:overflow-y-auto"
    >
      <AskHeader
        pending={pending}
        titleId={titleId}
        heading={heading}
        place={place}
        count={count}
        onNext={onNext}
        onAside={onAside}
      />
      <div className="relative flex min-h-24 flex-1 flex-col">
        <div
          ref={scroller}
          id={bodyId}
          // Focusable, so that it scrolls with the keyboard.
          tabIndex={0}
          className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 py-4"
        >
          <CutTexts value={countCut}>
            <AskContent pending={pending} />
          </CutTexts>
          {areOptionsScrolled && (
            <div className="flex flex-col gap-3 pt-4">
              <AskOptions options={[...allow, ...other]} {...shared} isInert={isInert || cuts > 0} />
            </div>
          )}
          {ask.freeText && !isViewer && (
            <FreeTextAnswer
              id={content}
              isQuestion={ask.kind === 'question'}
              isInert={isInert || !guard.isReady}
              onSend={(text) => answer({ text })}
            />
          )}
          <MoreBelow key={content} scroller={scroller} />
        </div>
      </div>
      <footer className="pb-safe border-t border-line px-5 pt-4">
        <div aria-live="assertive" className="flex flex-col gap-2 empty:hidden">
          {settled && (
            <p
              data-testid="settled"
              className={`rounded-xl px-4 py-3 font-semibold break-words [overflow-wrap:anywhere] ${outcomeClasses[getEffect(ask, settled)]}`}
            >
              {formatSettlement(ask, settled, clientId, person)}
            </p>
          )}
          {!settled && isChanged && (
            <p className="rounded-xl bg-warn-soft px-4 py-3 font-medium text-warn">{words.asks.changed}</p>
          )}
          {!settled && cuts > 0 && allow.length + other.length > 0 && (
            <p className="rounded-xl bg-warn-soft px-4 py-3 font-medium text-warn">{words.asks.readFirst}</p>
          )}
          {!settled && !isOnline && (
            <p className="rounded-xl bg-warn-soft px-4 py-3 text-warn">{words.asks.offline}</p>
          )}
          {!settled && problem && (
            <div className="rounded-xl bg-bad-soft px-4 py-3 break-words text-bad">
              <p className="font-medium">{problem.message}</p>
              {problem.hint && <p className="text-sm">{problem.hint}</p>}
            </div>
          )}
          {!settled && isViewer && <p className="text-dim">{words.asks.viewer}</p>}
          {!settled && !isViewer && ask.options.length === 0 && !ask.freeText && (
            <p className="text-dim">{words.asks.noOptions}</p>
          )}
          {!settled && ask.expiresAt !== undefined && <TimeLeft until={ask.expiresAt} />}
        </div>
        <div
          role="group"
          aria-label={words.asks.asks(getAgentName(agent))}
          className="flex flex-col gap-7 py-3 [@media(max-height:520px)]:flex-row-reverse [@media(max-height:520px)]:gap-10"
        >
          {!areOptionsScrolled && allow.length + other.length > 0 && (
            <div className="flex min-w-0 flex-1 flex-col gap-3">
              <AskOptions options={[...allow, ...other]} {...shared} isInert={isInert || cuts > 0} />
            </div>
          )}
          {deny.length > 0 && (
            <div className="flex min-w-0 flex-1 flex-col gap-3">
              <AskOptions options={deny} {...shared} />
            </div>
          )}
        </div>
      </footer>
    </dialog>
  )
}

const outcomeClasses = {
  allow: 'bg-good-soft text-good',
  deny: 'bg-bad-soft text-bad',
  other: 'bg-sunken text-ink',
} as const

/** Shows a hint at the lower edge while the end of the scrolled content is not visible. */
function MoreBelow({ scroller }: { readonly scroller: RefObject<HTMLElement | null> }) {
  const end = useRef<HTMLSpanElement>(null)
  const [isMore, setMore] = useState(false)
  useEffect(() => {
    if (!end.current) return undefined
    const observer = new IntersectionObserver(([entry]) => setMore(entry?.isIntersecting === false), {
      root: scroller.current,
      rootMargin: '0px 0px 24px 0px',
    })
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [scroller])
  return (
    <>
      <span ref={end} aria-hidden="true" className="block h-px" />
      {isMore && (
        <button
          type="button"
          onClick={() => end.current?.scrollIntoView({ behavior: 'smooth', block: 'end' })}
          className="absolute inset-x-0 bottom-0 mx-auto flex min-h-11 w-fit items-center gap-1.5 rounded-t-xl border border-b-0 border-line bg-raised px-4 text-sm font-medium text-accent shadow-lg"
        >
          <DownIcon className="size-4" />
          {words.asks.more}
        </button>
      )}
    </>
  )
}

/** Whether the content of a request has changed since it was first shown. */
function useChanged(pending: PendingAsk): boolean {
  const name = getAskName(pending)
  const { digest } = pending.ask
  const [first, setFirst] = useState({ name, digest })
  if (first.name !== name) setFirst({ name, digest })
  return first.name === name && first.digest !== digest
}

interface FreeTextAnswerProps {
  /** The key of the stored draft. */
  readonly id: string
  readonly isQuestion: boolean
  readonly isInert: boolean
  readonly onSend: (text: string) => void
}

/** A free-text answer. The draft survives closing the dialog. */
function FreeTextAnswer({ id, isQuestion, isInert, onSend }: FreeTextAnswerProps) {
  const text = useAskView(({ texts }) => texts.get(id) ?? '')
  const label = isQuestion ? words.asks.freeText : words.asks.instead
  const send = (): void => {
    if (text.trim() !== '' && !isInert) onSend(text)
  }
  return (
    <form
      className="flex flex-col gap-2 pt-4"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label className="flex flex-col gap-1">
        <span className="text-sm text-dim">{label}</span>
        <textarea
          value={text}
          rows={2}
          maxLength={100_000}
          dir="auto"
          onChange={({ target }) => keepText(id, target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) send()
          }}
          className="min-h-14 resize-y rounded-xl border border-line bg-paper px-3 py-2.5"
        />
      </label>
      <Button type="submit" disabled={isInert || text.trim() === ''} className="min-h-14 self-end px-6">
        {words.asks.sendText}
      </Button>
    </form>
  )
}

interface Answering {
  /** The answer that was sent; undefined again if sending failed. */
  readonly sent: { readonly option?: string; readonly text?: string } | undefined
  readonly problem: { readonly message: string; readonly hint?: string | undefined } | undefined
  /** The recorded decision, once the server confirms it. */
  readonly outcome: Answer | undefined
  readonly answer: (choice: { readonly option?: string; readonly text?: string }) => void
}

/** Sends one answer to the content on screen. The state resets when the content changes. */
function useAnswer(pending: PendingAsk): Answering {
  const content = toAskKey(pending)
  const [state, setState] = useState<{
    readonly content: string
    readonly sent?: Answering['sent']
    readonly problem?: Answering['problem']
    readonly outcome?: Answer | undefined
  }>({ content })
  const current = state.content === content ? state : { content }

  const answer: Answering['answer'] = (choice) => {
    if (current.sent) return
    const { ask, agent, session } = pending
    setState({ content, sent: choice })
    client.command({ agent, session }, { kind: 'answer', ask: ask.id, digest: ask.digest, ...choice }).then(
      ({ answer: outcome }) => {
        keepText(content, '')
        setState({ content, sent: choice, outcome })
      },
      (error: unknown) => setState({ content, problem: toProblem(error) }),
    )
  }
  return { sent: current.sent, problem: current.problem, outcome: current.outcome, answer }
}

function toProblem(error: unknown): NonNullable<Answering['problem']> {
  if (!(error instanceof ApiError)) return { message: words.app.failed, hint: String(error) }
  if (error.code === 'network') return { message: words.asks.unknown }
  return { message: error.message, hint: error.hint }
}
