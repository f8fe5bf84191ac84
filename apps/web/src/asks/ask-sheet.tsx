import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useRoute } from 'wouter'
import { useBadge } from '../notifications/use-badge.ts'
import { type PendingAsk, useLive } from '../state/live.ts'
import { toast } from '../state/toasts.ts'
import { words } from '../words/index.ts'
import { chooseAsk, getAskName, nextAsk } from './choose-ask.ts'
import { loadAskDialog } from './load-ask-dialog.ts'
import { openAsk, putAside, useAskView } from './open-ask.ts'
import { formatExact, formatRequest } from '@remora/protocol/plain'
import { useAgentNames } from '../state/agents.ts'
import { AgentMark } from '../ui/agent-mark.tsx'

const AskDialog = lazy(() => loadAskDialog().then((found) => ({ default: found.AskDialog })))

/** Shows requests over the open session, and a banner for all others. */
export function AskSheet() {
  const asks = useLive(({ asks: all }) => all)
  const live = useLive(({ live: all }) => all)
  const { wanted, aside } = useAskView()
  const [isHome] = useRoute('/')
  const [isSession, parts] = useRoute('/session/:agent/:session/*?')
  const { agent, session } = parts ?? {}
  const openSession = useMemo(
    () => (isSession && agent && session ? { agent, session } : undefined),
    [isSession, agent, session],
  )
  const [current, setCurrent] = useState<string>()
  const { row, shown, waiting } = chooseAsk({ asks, live, openSession, wanted, aside, current })
  useBadge(openSession, waiting.length + (shown && !shown.settled ? 1 : 0))

  const name = shown && getAskName(shown)
  const before = useRef<{ readonly name: string; readonly isSettled: boolean }>(undefined)
  useEffect(() => {
    const was = before.current
    before.current = name === undefined ? undefined : { name, isSettled: shown?.settled !== undefined }
    // The request was settled while offline, so the outcome is unknown.
    const isThere = was && asks.some((each) => getAskName(each) === was.name)
    if (was && !was.isSettled && was.name !== name && !isThere) toast(words.asks.gone)
    setCurrent(name)
    if (name === undefined && wanted && row.length === 0) useAskView.setState({ wanted: undefined })
  }, [name, shown?.settled, asks, wanted, row.length])

  const next = shown && nextAsk(row, shown)
  const nextName = next && getAskName(next)
  const onOver = useCallback(() => setCurrent(nextName), [nextName])
  return (
    <>
      {/* The session list shows them itself. */}
      {!isHome && <AskBanner waiting={waiting} />}
      {shown && (
        <Suspense fallback={null}>
          <AskDialog
            pending={shown}
            place={row.findIndex((each) => getAskName(each) === name) + 1}
            count={row.length}
            onNext={next ? () => setCurrent(nextName) : undefined}
            onAside={() => {
              putAside(row)
              setCurrent(undefined)
            }}
            onOver={onOver}
          />
        </Suspense>
      )}
    </>
  )
}

const longest = 200

/** Shows requests of other sessions above every screen. */
function AskBanner({ waiting }: { readonly waiting: readonly PendingAsk[] }) {
  const getAgentName = useAgentNames()
  const [first] = waiting
  const about = useMemo(() => first && getSubject(first), [first])
  // The session list shows requests itself.
  const [isList] = useRoute('/')
  if (!first || isList) return null
  return (
    <div role="status" className="pt-safe order-first bg-warn-soft text-warn">
      <button
        type="button"
        data-testid="ask-banner"
        onClick={() => openAsk(waiting.length === 1 ? first : undefined)}
        className="flex min-h-14 w-full items-center gap-3 px-4 py-1.5 text-left"
      >
        <AgentMark agent={first.agent} className="size-9" />
        <span className="min-w-0 flex-1">
          <span className="block truncate font-semibold">
            {words.asks.banner(
              getAgentName(first.agent),
              words.asks.kinds[first.ask.kind] ?? words.asks.kinds['dialog']!,
              formatExact(first.ask.title, { layout: 'line', limit: longest }).text,
            )}
          </span>
          <span className="flex gap-2 text-sm">
            {about && (
              <span dir="ltr" className="truncate font-mono">
                {about}
              </span>
            )}
            {waiting.length > 1 && (
              <span className="shrink-0">{words.asks.bannerMore(waiting.length - 1)}</span>
            )}
          </span>
        </span>
        <span className="flex min-h-10 items-center rounded-xl bg-warn px-4 font-semibold text-warn-soft">
          {words.asks.show}
        </span>
      </button>
    </div>
  )
}

/** The start of the request. Only the sheet shows all of it and can allow it. */
function getSubject({ ask }: PendingAsk): string {
  return formatRequest(ask, { layout: 'line', limit: longest, withoutTitle: true }).text
}
