import { type RefObject, useEffect, useState } from 'react'
import { Link, useRoute } from 'wouter'
import { routes } from '../navigation/routes.ts'
import type { PendingAsk } from '../state/live.ts'
import { useLiveSession } from '../state/live.ts'
import { getTimeline } from '../state/timeline.ts'
import { useAgentNames } from '../state/agents.ts'
import { AgentMark } from '../ui/agent-mark.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { DownIcon, RightIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'

export interface AskHeaderProps {
  readonly pending: PendingAsk
  readonly titleId: string
  readonly heading: RefObject<HTMLHeadingElement | null>
  readonly place: number
  readonly count: number
  readonly onNext: (() => void) | undefined
  readonly onAside: () => void
}

/** The agent, its project and the position among several requests. */
export function AskHeader({ pending, titleId, heading, place, count, onNext, onAside }: AskHeaderProps) {
  const getAgentName = useAgentNames()
  const { agent, session, ask } = pending
  const live = useLiveSession(pending)
  const to = routes.session({ agent, session })
  const [isThere] = useRoute(to)
  const project = live?.cwd.split('/').findLast(Boolean)
  return (
    <header className="flex items-start gap-3 border-b border-line py-3 pr-2 pl-5">
      <AgentMark agent={agent} className="mt-0.5 size-10" />
      <div className="min-w-0 flex-1">
        <h2 id={titleId} ref={heading} tabIndex={-1} className="font-semibold break-words outline-none">
          {getAgentName(agent)} {words.asks.kinds[ask.kind] ?? words.asks.kinds['dialog']}
        </h2>
        <p className="line-clamp-2 text-sm break-words text-dim [overflow-wrap:anywhere]">
          {[project && words.asks.inProject(project), live?.title].filter(Boolean).join(' · ')}
        </p>
        {ask.parent !== undefined && (
          <p className="text-sm break-words text-dim">{parentWords(pending, ask.parent)}</p>
        )}
        {!isThere && (
          <Link
            href={to}
            onClick={onAside}
            className="-mx-2 inline-flex min-h-11 items-center rounded-lg px-2 text-sm font-medium text-accent"
          >
            {words.asks.toSession}
          </Link>
        )}
      </div>
      {count > 1 && (
        <Button
          variant="quiet"
          aria-label={`${words.asks.next}, ${words.asks.place(place, count)}`}
          disabled={!onNext}
          onClick={onNext}
          className="shrink-0 px-2 text-sm"
        >
          <span data-testid="place">{words.asks.place(place, count)}</span>
          <RightIcon className="size-4" />
        </Button>
      )}
      <IconButton label={words.asks.decideLater} onClick={onAside}>
        <DownIcon />
      </IconButton>
    </header>
  )
}

/** The task of the sub-agent that asks, from the call that started it. */
function parentWords(pending: PendingAsk, parent: string): string {
  for (const { content } of getTimeline(pending).messages)
    for (const block of content)
      if (block.type === 'tool_use' && block.id === parent) {
        const { description } = (block.input ?? {}) as { description?: unknown }
        if (typeof description === 'string') return words.asks.subAgentFor(description.slice(0, 200))
      }
  return words.asks.subAgent
}

/** Counts down until the request is denied automatically. */
export function TimeLeft({ until }: { readonly until: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.ceil((until - now) / 1_000)
  const isShort = seconds <= 30
  return (
    <p role="timer" className={`text-sm ${isShort ? 'font-medium text-warn' : 'text-dim'}`}>
      {seconds > 0 ? words.asks.left(formatTimeLeft(seconds)) : words.asks.expired}
    </p>
  )
}

/** @example formatTimeLeft(250) // '4:10' */
export function formatTimeLeft(seconds: number): string {
  const rest = (count: number): string => String(count).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  const tail = rest(seconds % 60)
  return minutes < 60 ? `${minutes}:${tail}` : `${Math.floor(minutes / 60)}:${rest(minutes % 60)}:${tail}`
}
