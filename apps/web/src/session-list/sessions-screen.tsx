import type { LiveInfo } from '@remora/protocol'
import type { SessionInfo } from '@remora/protocol/api'
import { useCallback, useMemo, useState } from 'react'
import { Link } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { InstallBanner } from '../notifications/install-banner.tsx'
import { useSearchKey } from '../navigation/use-search-key.ts'
import { useIsViewer } from '../state/connection.ts'
import { useLive } from '../state/live.ts'
import { IconButton } from '../ui/button.tsx'
import { FilterIcon, PlusIcon } from '../ui/icons.tsx'
import { ScreenHeader } from '../ui/screen-header.tsx'
import { words } from '../words/index.ts'
import { useAdoptable } from './adoptable.ts'
import { AgentChips } from '../ui/agent-chips.tsx'
import { AsksRow } from './asks-row.tsx'
import { EmptyList } from './empty-list.tsx'
import { type ListRow, listRows } from './list-rows.ts'
import { useListView } from './list-view.ts'
import { MachineChips } from './machine-chips.tsx'
import { useMachines } from './machines.ts'
import { sessionId } from '../sessions/merge-page.ts'
import { SessionMenu } from '../session-menu/list-session-menu.tsx'
import { filterId, useSessionList } from '../sessions/session-list.ts'
import { useFreshSessions } from './use-fresh-sessions.ts'
import { useKnownAgents } from '../sessions/use-known-agents.ts'
import { ViewSheet } from './view-sheet.tsx'
import { VirtualRows } from './virtual-rows.tsx'

interface Menu {
  readonly entry: SessionInfo | undefined
  readonly live: LiveInfo | undefined
}

/** Everything there is, with what wants a person on top. */
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
        <SessionMenu
          key={sessionId((menu.entry ?? menu.live)!)}
          {...menu}
          onClose={() => setMenu(undefined)}
        />
      )}
      {isViewOpen && <ViewSheet onClose={() => setViewOpen(false)} />}
    </>
  )
}

function useListRows(): ListRow[] {
  const view = useListView()
  const sessions = useSessionList((list) => list.sessions)
  const hasMore = useSessionList(({ reached }) => reached.get(filterId(view))?.isAll === false)
  const live = useLive((store) => store.live)
  const { found, aside } = useAdoptable()
  const isViewer = useIsViewer()
  const here = useMachines((machines) => machines.here)
  return useMemo(
    () =>
      listRows(
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
