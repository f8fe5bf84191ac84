import type { LiveInfo } from '@remora/protocol'
import { Suspense, lazy } from 'react'
import { Link } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { useConnection, useIsViewer } from '../state/connection.ts'
import { useLiveSession } from '../state/live.ts'
import type { SessionKey } from '../wire/api.ts'
import { Busy } from '../ui/busy.tsx'
import { Empty } from '../ui/empty.tsx'
import { ScreenHeader } from '../ui/screen-header.tsx'
import { words } from '../words/index.ts'
import { ContinueButton } from './continue-button.tsx'

// Loaded separately, because the emulator is large.
const View = lazy(() => import('./terminal-view.tsx').then(({ TerminalView }) => ({ default: TerminalView })))

/** The terminal of a session, or why there is none. */
export function TerminalScreen({ session }: { readonly session: SessionKey }) {
  const live = useLiveSession(session)
  // Live sessions are known once the server has sent its first message.
  const isKnown = useConnection(({ client }) => client !== undefined)
  if (live?.channel === 'terminal' && !live.node)
    return (
      <Suspense fallback={<Busy />}>
        <View key={live.id} session={session} live={live} />
      </Suspense>
    )
  return (
    <section className="flex min-h-0 flex-1 flex-col">
      <ScreenHeader title={words.terminal.title} back={routes.session(session)} />
      {isKnown ? <NoTerminal session={session} live={live} /> : <Busy />}
    </section>
  )
}

function NoTerminal({
  session,
  live,
}: {
  readonly session: SessionKey
  readonly live: LiveInfo | undefined
}) {
  const isHeld = live !== undefined && live.state !== 'ended'
  const isViewer = useIsViewer()
  return (
    <Empty
      title={
        live?.node && isHeld
          ? words.terminal.elsewhere(live.node.name)
          : isHeld
            ? words.terminal.none
            : words.terminal.notRunning
      }
      hint={
        live?.node && isHeld
          ? words.terminal.elsewhereHint(live.node.name)
          : isHeld
            ? words.terminal.noneHint
            : isViewer
              ? words.terminal.notRunningHintViewer
              : words.terminal.notRunningHint
      }
    >
      {!isHeld && <ContinueButton session={session} />}
      <Link
        href={routes.session(session)}
        className="flex min-h-11 items-center rounded-xl px-4 font-medium text-accent hover:bg-sunken"
      >
        {words.terminal.toChat}
      </Link>
    </Empty>
  )
}
