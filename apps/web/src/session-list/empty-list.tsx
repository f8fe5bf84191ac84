import { useLocation } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { DemoButton } from '../demo/demo-button.tsx'
import { useConnection, useIsViewer } from '../state/connection.ts'
import { getAgentName } from '../ui/agent-mark.tsx'
import { Busy } from '../ui/busy.tsx'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { PlusIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { useListView } from './list-view.ts'
import { useSessionList } from '../sessions/session-list.ts'

/** The empty list: no sessions, no matches, or no connection. */
export function EmptyList({ agent }: { readonly agent: string | undefined }) {
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
