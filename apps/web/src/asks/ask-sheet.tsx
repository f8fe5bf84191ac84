import { Suspense, lazy, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useRoute } from 'wouter'
import { useBadge } from '../notifications/use-badge.ts'
import { useLive } from '../state/live.ts'
import { toast } from '../state/toasts.ts'
import { words } from '../words/index.ts'
import { AskBanner } from './ask-banner.tsx'
import { chooseAsk, getAskName, nextAsk } from './choose-ask.ts'
import { loadAskDialog } from './load-ask-dialog.ts'
import { putAside, useAskView } from './open-ask.ts'

const AskDialog = lazy(() => loadAskDialog().then((found) => ({ default: found.AskDialog })))

/** Shows requests over the open session, and a banner for all others. */
export function AskSheet() {
  const asks = useLive(({ asks: all }) => all)
  const live = useLive(({ live: all }) => all)
  const { wanted, aside } = useAskView()
  const [isHome] = useRoute('/')
  const [isSession, parts] = useRoute('/session/:agent/:session/*?')
  const { agent, session } = parts ?? {}
  const looking = useMemo(
    () => (isSession && agent && session ? { agent, session } : undefined),
    [isSession, agent, session],
  )
  const [current, setCurrent] = useState<string>()
  const { row, shown, waiting } = chooseAsk({ asks, live, looking, wanted, aside, current })
  useBadge(looking, waiting.length + (shown && !shown.settled ? 1 : 0))

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
