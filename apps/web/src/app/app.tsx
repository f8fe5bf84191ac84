import { lazy, startTransition, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { Link, Route, Switch, useLocation, useParams, useRoute } from 'wouter'
import { PairScreen } from './pair-screen.tsx'
import { pairingCode } from '../pair/pairing-code.ts'
import { SessionsScreen } from '../session-list/sessions-screen.tsx'
import { SignInSheet } from '../sessions/sign-in-sheet.tsx'
import { loadAgents, useAgentStore } from '../state/agents.ts'
import { client } from '../state/client.ts'
import { useConnection, useIsViewer } from '../state/connection.ts'
import { Busy } from '../ui/busy.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { ScreenHeader } from '../ui/screen-header.tsx'
import { Toasts } from '../ui/toasts.tsx'
import { AskSheet } from '../asks/ask-sheet.tsx'
import { DemoSheet } from '../demo/demo-sheet.tsx'
import { Empty, EmptyLink } from '../ui/empty.tsx'
import { words } from '../words/index.ts'
import { routes } from '../navigation/routes.ts'
import { whenIdle } from '../browser/when-idle.ts'
import { ChartIcon, GearIcon, ListIcon, SearchIcon } from '../ui/icons.tsx'
import { useOutbox } from '../state/outbox.ts'
import { useLiveSession } from '../state/live.ts'
import { useChatScreen } from './load-chat.ts'

const NewSession = lazy(() =>
  import('../new-session/new-session-screen.tsx').then(({ NewSessionScreen }) => ({
    default: NewSessionScreen,
  })),
)
const Search = lazy(() =>
  import('../search/search-screen.tsx').then(({ SearchScreen }) => ({ default: SearchScreen })),
)
const Insights = lazy(() =>
  import('../insights/insights-screen.tsx').then(({ InsightsScreen }) => ({ default: InsightsScreen })),
)
const Settings = lazy(() =>
  import('../settings/settings-screen.tsx').then(({ SettingsScreen }) => ({ default: SettingsScreen })),
)

const ReviewLayer = lazy(() =>
  import('../review/review-layer.tsx').then(({ ReviewLayer }) => ({ default: ReviewLayer })),
)

/** Shows the session list beside the conversation on a wide screen, otherwise one of them. */
export function App() {
  const isUnpaired = useConnection(({ state }) => state === 'unpaired')
  const [isHome] = useRoute('/')
  const isWide = useIsWide()
  const isSettled = useIsSettled()
  useEffect(() => {
    setTimeout(client.ready)
  }, [])
  const isOnline = useConnection(({ state }) => state === 'online')
  // The first screen comes first if the names and marks of agents are cached.
  useEffect(() => {
    if (isOnline && (isSettled || !useAgentStore.getState().agents)) void loadAgents()
  }, [isSettled, isOnline])
  const main = useRef<HTMLElement>(null)
  const [place] = useLocation()
  // A link into a conversation does not load the list first. Once loaded, the list stays, because other screens
  // use its folders and agents.
  const [isConversation] = useRoute('/session/*?')
  const [hasList, setHasList] = useState(false)
  if (!hasList && (isWide || !isConversation)) setHasList(true)
  if (isUnpaired || pairingCode.given) return <PairScreen />
  return (
    <div className="sides-safe flex h-dvh flex-col bg-paper">
      <a
        href="#main"
        onClick={(event) => {
          event.preventDefault()
          main.current?.focus()
        }}
        className="sr-only z-50 max-lg:hidden rounded-xl bg-raised px-4 py-3 font-medium text-accent shadow-lg focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
      >
        {words.app.skip}
      </a>
      <ConnectionBar />
      <div className="flex min-h-0 flex-1 flex-col lg:flex-row">
        <div
          role={isHome && !isWide ? 'main' : 'complementary'}
          className={`${isHome ? 'flex' : 'hidden lg:flex'} min-h-0 w-full min-w-0 flex-1 flex-col lg:w-96 lg:flex-none lg:border-r lg:border-line`}
        >
          <ErrorBoundary>{hasList && <SessionsScreen />}</ErrorBoundary>
          <MainTabs />
        </div>
        <main
          ref={main}
          id="main"
          tabIndex={-1}
          aria-label={words.app.main}
          className={`${isHome ? 'hidden lg:flex' : 'flex'} min-h-0 min-w-0 flex-1 flex-col outline-none`}
        >
          <ErrorBoundary place={place}>
            <Suspense fallback={<Busy />}>
              <Switch>
                <Route path="/new" component={NewSession} />
                <Route path="/search" component={Search} />
                <Route path="/insights/*?" component={Insights} />
                <Route path="/settings/*?" component={Settings} />
                <Route path="/session/:agent/:session/*?" component={SessionRoute} />
                <Route path="/">
                  <ChooseSession />
                </Route>
                <Route>
                  <ScreenHeader title={words.app.name} back={routes.sessions} />
                  <Empty title={words.app.notFound} hint={words.app.notFoundHint}>
                    <EmptyLink to={routes.sessions}>{words.app.home}</EmptyLink>
                  </Empty>
                </Route>
              </Switch>
            </Suspense>
          </ErrorBoundary>
        </main>
        {isSettled && (
          <Suspense fallback={null}>
            <ReviewLayer />
          </Suspense>
        )}
      </div>
      <AskSheet />
      <DemoSheet />
      <SignInSheet />
      <Toasts />
    </div>
  )
}

/** Shown beside the list until a session is chosen. */
function ChooseSession() {
  const isViewer = useIsViewer()
  return (
    <Empty
      title={words.sessions.choose}
      hint={isViewer ? words.sessions.chooseHintViewer : words.sessions.chooseHint}
    >
      {!isViewer && <EmptyLink to={routes.newSession}>{words.app.newSession}</EmptyLink>}
    </Empty>
  )
}

/** False until the first screen is drawn, so that optional parts are not fetched before. */
function useIsSettled(): boolean {
  const [isSettled, setSettled] = useState(false)
  useEffect(() => whenIdle(() => startTransition(() => setSettled(true))), [])
  return isSettled
}

/** The width of `lg:` in class names, where the list fits beside the conversation. */
const wide = matchMedia('(min-width: 64rem)')

function useIsWide(): boolean {
  return useSyncExternalStore(
    (changed) => {
      wide.addEventListener('change', changed)
      return () => wide.removeEventListener('change', changed)
    },
    () => wide.matches,
  )
}

const tabs = [
  { to: routes.sessions, pattern: '/', label: words.app.sessions, Icon: ListIcon },
  { to: routes.search, pattern: '/search', label: words.app.search, Icon: SearchIcon },
  { to: routes.insights, pattern: '/insights/*?', label: words.app.insights, Icon: ChartIcon },
  { to: routes.settings, pattern: '/settings/*?', label: words.app.settings, Icon: GearIcon },
]

/** The tab bar at the bottom. */
function MainTabs() {
  return (
    <nav aria-label={words.app.main} className="pb-safe flex border-t border-line bg-raised">
      {tabs.map((tab) => (
        <Tab key={tab.to} {...tab} />
      ))}
    </nav>
  )
}

function Tab({ to, pattern, label, Icon }: (typeof tabs)[number]) {
  const [isHere] = useRoute(pattern)
  return (
    <Link
      href={to}
      aria-current={isHere ? 'page' : undefined}
      className={`flex min-h-13 flex-1 flex-col items-center justify-center gap-0.5 text-xs ${isHere ? 'text-accent' : 'text-dim'}`}
    >
      <Icon />
      {label}
    </Link>
  )
}

/** A shorter interruption is not shown. */
const delayMs = 1_200

function ConnectionBar() {
  const { state, since, isBusy } = useConnection()
  const unsent = useOutbox(({ unsent: all }) => all.length)
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    setNow(Date.now())
    if (state === 'online') return undefined
    const timers = [
      setTimeout(() => setNow(Date.now()), delayMs),
      setInterval(() => setNow(Date.now()), 20_000),
    ]
    return () => timers.forEach(clearTimeout)
  }, [state, since])
  if ((state === 'online' && !isBusy) || (state === 'connecting' && now - since < delayMs)) return null
  const minutes = Math.floor((now - since) / 60_000)
  const text =
    state === 'online'
      ? words.connection.busy
      : state === 'connecting'
        ? words.connection.connecting
        : !navigator.onLine
          ? words.connection.noNetwork
          : minutes > 0
            ? words.connection.offlineSince(minutes)
            : words.connection.offline
  return (
    <div role="status" data-testid="connection" className="pt-safe bg-warn-soft text-warn">
      <p className="px-4 py-1.5 text-sm">
        {text}
        {unsent > 0 && ` · ${words.connection.unsent(unsent)}`}
      </p>
    </div>
  )
}

const Terminal = lazy(() =>
  import('../terminal/terminal-screen.tsx').then(({ TerminalScreen }) => ({ default: TerminalScreen })),
)
const Changes = lazy(() =>
  import('../changes/changes-screen.tsx').then(({ ChangesScreen }) => ({ default: ChangesScreen })),
)
const Files = lazy(() =>
  import('../files/files-screen.tsx').then(({ FilesScreen }) => ({ default: FilesScreen })),
)
const parts = new Map([
  ['terminal', Terminal],
  ['changes', Changes],
  ['files', Files],
])

/** The screens of one session. A starting agent has no session id yet, so the URL changes when it gets one. */
function SessionRoute() {
  const { agent = '', session = '', '*': part = '' } = useParams()
  const [, go] = useLocation()
  const live = useLiveSession({ agent, session })
  const current = live && live.id === session ? live.session : session
  useEffect(() => {
    if (current !== session) go(routes.session({ agent, session: current }), { replace: true })
  }, [agent, session, current, go])
  useEffect(() => {
    client.setOpenSession({ agent, session })
    return () => client.setOpenSession(undefined)
  }, [agent, session])
  const Other = parts.get(part)
  const Chat = useChatScreen(!Other)
  const Part = Other ?? Chat
  if (!Part) return <Busy />
  return (
    <Suspense fallback={<Busy />}>
      <Part key={`${agent}/${session}`} session={{ agent, session }} />
    </Suspense>
  )
}
