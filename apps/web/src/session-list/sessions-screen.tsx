import type { LiveInfo } from '@remora/protocol'
import type { SessionInfo } from '@remora/protocol/api'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { Link, useLocation, useRoute } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { useSearchKey } from '../navigation/use-search-key.ts'
import { useConnection, useIsViewer } from '../state/connection.ts'
import { useLive } from '../state/live.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { CloseIcon, FilterIcon, MachineIcon, PlusIcon, QuestionIcon, RightIcon } from '../ui/icons.tsx'
import { ScreenHeader } from '../ui/screen-header.tsx'
import { words } from '../words/index.ts'
import { useAdoptable } from './adoptable.ts'
import { AgentChips, Chips } from '../ui/chips.tsx'
import { type ListRow, toListRows } from './list-rows.ts'
import { useListView } from './list-view.ts'
import { useFreshMachines, useMachines } from './machines.ts'
import { toFilterId, useKnownAgents, useSessionList } from '../sessions/session-list.ts'
import { useFreshSessions } from './use-fresh-sessions.ts'
import { VirtualRows } from './virtual-rows.tsx'
import { openAsk } from '../asks/open-ask.ts'
import { Sheet } from '../ui/sheet.tsx'
import { Switch } from '../ui/switch.tsx'
import { DemoButton } from '../demo/demo-button.tsx'
import { useAgentNames } from '../state/agents.ts'
import { Busy } from '../ui/busy.tsx'
import { Empty } from '../ui/empty.tsx'
import { local } from '../state/local.ts'
import { install, useInstall } from '../notifications/install.ts'
import { platform } from '../notifications/platform.ts'

const SessionMenu = lazy(() =>
  import('../session-menu/session-menu.tsx').then(({ SessionMenu }) => ({ default: SessionMenu })),
)

interface Menu {
  readonly entry: SessionInfo | undefined
  readonly live: LiveInfo | undefined
}

/** The session list, with requests on top. */
export function SessionsScreen() {
  const view = useListView()
  useFreshSessions(view)
  useSearchKey()
  const rows = useListRows()
  const agents = useKnownAgents()
  const isViewer = useIsViewer()
  const [menu, setMenu] = useState<Menu>()
  const [isViewOpen, setViewOpen] = useState(false)
  const openMenu = useCallback(
    (entry: SessionInfo | undefined, live?: LiveInfo) => setMenu({ entry, live }),
    [],
  )
  return (
    <>
      <ScreenHeader title={words.app.sessions}>
        <IconButton label={words.sessions.view} onClick={() => setViewOpen(true)}>
          <FilterIcon />
        </IconButton>
        {!isViewer && (
          <Link
            href={routes.newSession}
            aria-label={words.app.newSession}
            title={words.app.newSession}
            className="flex size-11 items-center justify-center"
          >
            <span className="flex size-9 items-center justify-center rounded-full bg-accent text-on-accent">
              <PlusIcon />
            </span>
          </Link>
        )}
      </ScreenHeader>
      <AgentChips agents={agents} chosen={view.agent} onChoose={(agent) => useListView.setState({ agent })} />
      <MachineChips />
      <AsksRow />
      <InstallBanner />
      {rows.some(({ kind }) => kind !== 'more') ? (
        <VirtualRows rows={rows} filter={view} onMenu={openMenu} />
      ) : (
        <EmptyList agent={view.agent} />
      )}
      {menu && (
        <Suspense fallback={null}>
          <SessionMenu
            session={(menu.entry ?? menu.live)!}
            info={menu.entry}
            live={menu.live}
            onClose={() => setMenu(undefined)}
          />
        </Suspense>
      )}
      {isViewOpen && <ViewSheet onClose={() => setViewOpen(false)} />}
    </>
  )
}

function useListRows(): ListRow[] {
  const view = useListView()
  const sessions = useSessionList((list) => list.sessions)
  const hasMore = useSessionList(({ reached }) => reached.get(toFilterId(view))?.isAll === false)
  const live = useLive((store) => store.live)
  const { found, aside } = useAdoptable()
  const isViewer = useIsViewer()
  const here = useMachines((machines) => machines.here)
  return useMemo(
    () =>
      toListRows(
        {
          sessions,
          live: [...live.values()],
          adoptable: isViewer ? [] : found.filter(({ pid }) => !aside.has(pid)),
          here,
          hasMore,
        },
        view,
      ),
    [sessions, live, found, aside, isViewer, here, hasMore, view],
  )
}

/** Open requests, above the list. Other screens show a banner. */
function AsksRow() {
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

/** Options of the list. */
function ViewSheet({ onClose }: { readonly onClose: () => void }) {
  const { archived, hidden } = useListView()
  return (
    <Sheet title={words.sessions.view} onClose={onClose}>
      <Switch
        label={words.sessions.viewArchived}
        hint={words.sessions.viewArchivedHint}
        checked={archived}
        onChange={(isOn) => useListView.setState({ archived: isOn })}
      />
      <Switch
        label={words.sessions.viewHidden}
        hint={words.sessions.viewHiddenHint}
        checked={hidden}
        onChange={(isOn) => useListView.setState({ hidden: isOn })}
      />
    </Sheet>
  )
}

/** Filters by machine. Hidden with a single machine. */
function MachineChips() {
  useFreshMachines()
  const { nodes } = useMachines()
  const chosen = useListView(({ node }) => node)
  if (nodes.length < 2 && chosen === undefined) return null
  const offline = nodes.filter((node) => node.silent && node.live > 0)
  const choices = nodes.map(({ id, name, silent }) => ({
    id,
    content: (
      <>
        <MachineIcon className="-ml-1 size-4" />
        {name.slice(0, 40)}
        {silent && <span className="sr-only">{words.machines.isOffline}</span>}
        {silent && <span aria-hidden="true" className="size-2 rounded-full bg-warn" />}
      </>
    ),
  }))
  return (
    <>
      <Chips
        label={words.machines.filter}
        all={words.machines.all}
        choices={choices}
        chosen={chosen}
        onChoose={(node) => useListView.setState({ node })}
      />
      {offline.map(({ id, name }) => (
        <p key={id} role="status" className="mx-4 my-1 rounded-xl bg-sunken px-3 py-2 text-sm text-warn">
          {words.machines.offline(name)}
        </p>
      ))}
    </>
  )
}

/** The empty list: no sessions, no matches, or no connection. */
function EmptyList({ agent }: { readonly agent: string | undefined }) {
  const getAgentName = useAgentNames()
  const { isCurrent, error } = useSessionList()
  const isOnline = useConnection(({ state }) => state === 'online')
  const isViewer = useIsViewer()
  const [, go] = useLocation()
  const node = useListView((view) => view.node)
  if (!isCurrent)
    return error || !isOnline ? (
      <Empty title={words.sessions.notLoaded} hint={error?.hint ?? words.sessions.notLoadedHint} />
    ) : (
      <Busy />
    )
  if (agent !== undefined || node !== undefined)
    return (
      <Empty
        title={words.sessions.noMatch}
        hint={agent === undefined ? words.machines.noMatch : words.sessions.noMatchHint(getAgentName(agent))}
      >
        <Button onClick={() => useListView.setState({ agent: undefined, node: undefined })}>
          {words.sessions.showAll}
        </Button>
      </Empty>
    )
  if (isViewer) return <Empty title={words.sessions.empty} hint={words.sessions.emptyHintViewer} />
  return (
    <Empty title={words.sessions.empty} hint={words.sessions.emptyHint}>
      <div className="mt-3 flex w-full max-w-72 flex-col gap-3">
        <Button variant="primary" wide onClick={() => go(routes.newSession)}>
          <PlusIcon />
          {words.app.newSession}
        </Button>
        <DemoButton wide />
      </div>
    </Empty>
  )
}

const installAside = 'install-aside'

/** Offers once to install the app on a phone. */
function InstallBanner() {
  const offer = useInstall(({ offer: kept }) => kept)
  const [isAside, setAside] = useState(() => local.read<boolean>(installAside) === true)
  const [, go] = useLocation()
  const { kind, isInstalled } = platform()
  // Apple browsers cannot install by script.
  const isPossible = kind === 'apple' || (kind === 'android' && offer !== undefined)
  if (isAside || isInstalled || !isPossible) return null
  const close = (): void => {
    local.write(installAside, true)
    setAside(true)
  }
  return (
    <section
      aria-label={words.notifications.install}
      className="mx-4 my-1.5 flex items-center gap-1 rounded-card border border-line bg-raised py-1 pr-1 pl-4 lg:hidden"
    >
      <p className="min-w-0 flex-1 text-sm text-dim">{words.notifications.installBanner}</p>
      <Button
        variant="quiet"
        className="px-3! text-accent"
        onClick={() => (offer ? void install() : go(`${routes.settings}/notifications`))}
      >
        {words.notifications.installNow}
      </Button>
      <IconButton label={words.sessions.notNow} onClick={close}>
        <CloseIcon className="size-4" />
      </IconButton>
    </section>
  )
}
