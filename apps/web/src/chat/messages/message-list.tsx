import type { LiveInfo } from '@remora/protocol'
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useCallback, useLayoutEffect, useMemo, useRef } from 'react'
import { routes } from '../../navigation/routes.ts'
import { toSessionId } from '../../sessions/merge-page.ts'
import { useSessionList } from '../../sessions/session-list.ts'
import { useLive } from '../../state/live.ts'
import { loadEarlier, useTimeline } from '../../state/timeline.ts'
import { toastError } from '../../state/toasts.ts'
import type { SessionKey } from '../../wire/api.ts'
import { Busy } from '../../ui/busy.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Empty, EmptyLink } from '../../ui/empty.tsx'
import { DownIcon } from '../../ui/icons.tsx'
import { words } from '../../words/index.ts'
import { MessageView } from './message-view.tsx'
import { endsTurn, toRows } from './rows.ts'
import { getUnsavedText } from './unsaved-text.ts'
import { useDrawnRows } from './use-drawn-rows.ts'
import { nearPixels, useStayAtEnd } from './use-stay-at-end.ts'
import { useScrollToTime } from './use-scroll-to-time.ts'
import { lexIncrementally } from '../../markdown/lex.ts'
import { Markdown } from '../../markdown/markdown.tsx'

const guessedHeight = 120
/** Earlier messages are loaded at this distance from the top. */
const earlyPixels = 1_500

export interface MessageListProps {
  readonly session: SessionKey
  readonly live: LiveInfo | undefined
}

/**
 * A virtualized message list with live output at the end. It follows new output at the end, and elsewhere keeps
 * its position when messages are added above.
 */
export function MessageList({ session, live }: MessageListProps) {
  const { messages, from, isCurrent, isLoading } = useTimeline(session)
  const frame = useLive(({ frames }) => (live ? frames.get(live.id) : undefined))
  const rows = useMemo(() => toRows(messages, from), [messages, from])
  const unsaved = getUnsavedText(frame?.text, rows)
  const hasOutput = hasLiveOutput(live, unsaved)
  const scroller = useRef<HTMLDivElement>(null)
  const { overscan, rangeExtractor, drawAll } = useDrawnRows(rows, scroller)
  const virtualizer = useVirtualizer({
    count: rows.length + (hasOutput ? 1 : 0),
    getScrollElement: () => scroller.current,
    estimateSize: () => guessedHeight,
    // The message's own index, because earlier messages may be added before it.
    getItemKey: (index) => rows[index]?.index ?? 'now',
    overscan,
    rangeExtractor,
    paddingStart: 16,
    paddingEnd: 8,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: nearPixels,
  })

  const { isAtEnd, toEnd, leave, isLed, onScroll } = useStayAtEnd(scroller, virtualizer, [
    rows,
    frame,
    hasOutput,
  ])
  useLayoutEffect(() => {
    if (!isAtEnd) drawAll()
  }, [isAtEnd, drawAll])
  const scrollTo = useCallback(
    (row: number) => {
      leave()
      virtualizer.scrollToIndex(row, { align: 'start' })
    },
    [virtualizer, leave],
  )
  const keepInSight = useCallback(
    (row: number) => {
      if (isLed() && !isInSight(scroller.current, row)) scrollTo(row)
    },
    [isLed, scrollTo],
  )
  const wanted = useScrollToTime({ session, rows, from, isCurrent, scrollTo, keepInSight })

  const scrolled = (): void => {
    onScroll()
    const element = scroller.current
    if (element && element.scrollTop < earlyPixels && from > 0) loadEarlier(session).catch(toastError)
  }

  const isEmpty = rows.length === 0 && !hasOutput
  const isKnown = useSessionList(({ sessions }) => sessions.has(toSessionId(session))) || live !== undefined
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={scroller}
        onScroll={scrolled}
        role="log"
        aria-label={words.chat.messages}
        aria-busy={isLoading}
        tabIndex={0}
        data-testid="messages"
        className="flex min-h-0 flex-1 flex-col overflow-y-auto overscroll-contain"
      >
        {isEmpty ? (
          <Waiting isCurrent={isCurrent} isKnown={isKnown} />
        ) : (
          <div
            className="relative mx-auto w-full max-w-4xl shrink-0"
            style={{ height: virtualizer.getTotalSize() }}
          >
            {virtualizer.getVirtualItems().map(({ key, index, start }) => {
              const row = rows[index]
              return (
                <div
                  key={key}
                  ref={virtualizer.measureElement}
                  data-index={index}
                  data-message={row?.message.id}
                  className={`absolute inset-x-0 top-0 px-4 pb-4 ${row !== undefined && row.index === wanted ? 'border-l-4 border-accent' : ''}`}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  {row ? (
                    <MessageView
                      session={session}
                      message={row.message}
                      index={row.index}
                      endsTurn={endsTurn(rows[index + 1])}
                    />
                  ) : (
                    <LiveOutput live={live} text={unsaved} subject={frame?.subject} />
                  )}
                </div>
              )
            })}
          </div>
        )}
      </div>
      {!isAtEnd && !isEmpty && (
        <IconButton
          variant="plain"
          label={words.chat.toEnd}
          onClick={toEnd}
          className="absolute! right-4 bottom-3 rounded-full! shadow-lg"
        >
          <DownIcon className="size-5" />
        </IconButton>
      )}
    </div>
  )
}

/** Whether any part of a row is visible. */
function isInSight(scroller: HTMLElement | null, row: number): boolean {
  const element = scroller?.querySelector(`[data-index="${row}"]`)
  if (!scroller || !element) return false
  const [seen, place] = [scroller.getBoundingClientRect(), element.getBoundingClientRect()]
  return place.bottom > seen.top && place.top < seen.bottom
}

function Waiting({ isCurrent, isKnown }: { readonly isCurrent: boolean; readonly isKnown: boolean }) {
  if (!isCurrent) return <Busy />
  if (isKnown) return <Empty title={words.chat.empty} />
  return (
    <Empty title={words.app.notFound} hint={words.app.notFoundHint}>
      <EmptyLink to={routes.sessions}>{words.app.home}</EmptyLink>
    </Empty>
  )
}

/** Whether the agent is working, or its screen shows text that is not in the transcript yet. */
function hasLiveOutput(live: LiveInfo | undefined, text: string | undefined): boolean {
  return live?.state === 'working' || live?.state === 'starting' || Boolean(text)
}

/** The agent's current output, before it is in the transcript. */
function LiveOutput({
  live,
  text,
  subject,
}: {
  readonly live: LiveInfo | undefined
  readonly text: string | undefined
  readonly subject: string | undefined
}) {
  const isWorking = live?.state === 'working' || live?.state === 'starting'
  if (!isWorking && !text) return null
  return (
    <div data-testid="now">
      {text && <GrowingMarkdown text={text} />}
      {isWorking && (
        <p role="status" className="flex items-center gap-2 py-1 text-sm text-dim">
          <span className="size-2 shrink-0 animate-[breathe_1.2s_infinite] rounded-full bg-accent" />
          <span className="truncate">{subject ?? live.detail ?? words.chat.working}</span>
        </p>
      )}
    </div>
  )
}

/** Updates up to twenty times a second, so only the last block is lexed and rendered again. */
const GrowingMarkdown = memo(function GrowingMarkdown({ text }: { readonly text: string }) {
  const lexed = useRef<ReturnType<typeof lexIncrementally>>(undefined)
  lexed.current = lexIncrementally(lexed.current, text)
  return <Markdown tokens={lexed.current?.tokens} text={text} />
})
