import type { LiveInfo } from '@remora/protocol'
import { describeSupport } from '@remora/protocol/plain'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { getProject } from '../sessions/project.ts'
import { getSessionTitle } from '../sessions/session-title.ts'
import { api, type SessionKey } from '../wire/api.ts'
import { useAgentNames } from '../state/agents.ts'
import { AgentMark } from '../ui/agent-mark.tsx'
import { IconButton } from '../ui/button.tsx'
import { DiffIcon, MoreIcon, TerminalIcon } from '../ui/icons.tsx'
import { ScreenHeader } from '../ui/screen-header.tsx'
import { words } from '../words/index.ts'
import type { SessionPlace } from '@remora/protocol/api'
import { useConnection } from '../state/connection.ts'
import { useSessionInfo } from '../sessions/session-list.ts'

const Menu = lazy(() =>
  import('../session-menu/session-menu.tsx').then(({ SessionMenu }) => ({ default: SessionMenu })),
)

/** The title, project and branch of a session, with links to its other screens. */
export function ChatHeader({
  session,
  live,
}: {
  readonly session: SessionKey
  readonly live: LiveInfo | undefined
}) {
  const [isOpen, setOpen] = useState(false)
  const getAgentName = useAgentNames()
  const info = useSessionInfo(session, live?.title)
  const place = usePlace(session, live?.state === 'idle')
  const cwd = place?.cwd ?? live?.cwd ?? info?.cwd
  const project = getProject(cwd)
  const branch = place?.branch ?? live?.worktree?.branch ?? project.worktree
  const isKnown = info !== undefined || live?.title !== undefined
  const second = [project.name, branch].filter(Boolean).join(' · ')
  const drift =
    live?.support &&
    describeSupport(live.support, { title: getAgentName(live.agent), channels: [live.channel] })
  const hasTerminal = live !== undefined && live.state !== 'ended' && live.channel === 'terminal'
  return (
    <>
      <ScreenHeader
        back={routes.sessions}
        title={
          <span className="flex items-center gap-2.5 py-1">
            <AgentMark agent={session.agent} className="size-8" />
            <span className="min-w-0 flex-1">
              <span dir="auto" className="block truncate leading-5">
                {isKnown ? getSessionTitle(info, live) : getAgentName(session.agent)}
              </span>
              <span className="block truncate text-xs leading-4 font-normal text-dim">
                {second || getAgentName(session.agent)}
              </span>
              {drift && (
                <span title={drift} className="block truncate text-xs leading-4 font-normal text-warn">
                  {drift}
                </span>
              )}
            </span>
          </span>
        }
      >
        {hasTerminal && (
          <HeaderLink to={routes.session(session, 'terminal')} label={words.header.terminal}>
            <TerminalIcon />
          </HeaderLink>
        )}
        <HeaderLink to={routes.session(session, 'changes')} label={words.header.changes}>
          <DiffIcon />
        </HeaderLink>
        <IconButton label={words.header.menu} aria-haspopup="dialog" onClick={() => setOpen(true)}>
          <MoreIcon />
        </IconButton>
      </ScreenHeader>
      {isOpen && (
        <Suspense fallback={null}>
          <Menu session={session} live={live} info={info} chat={{ cwd }} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

function HeaderLink({
  to,
  label,
  children,
}: {
  readonly to: string
  readonly label: string
  readonly children: ReactNode
}) {
  return (
    <Link
      href={to}
      aria-label={label}
      title={label}
      className="flex size-11 shrink-0 items-center justify-center rounded-xl text-dim hover:bg-sunken hover:text-ink"
    >
      {children}
    </Link>
  )
}

/** The current folder and branch of a session, refreshed when `changed` changes. */
function usePlace({ agent, session }: SessionKey, changed: unknown): SessionPlace | undefined {
  const isOnline = useConnection(({ state }) => state === 'online')
  const [place, setPlace] = useState<SessionPlace>()
  useEffect(() => {
    if (!isOnline) return undefined
    const abort = new AbortController()
    api
      .get('/api/sessions/:agent/:session/place', { params: { agent, session }, signal: abort.signal })
      .then(setPlace, () => {
        // The folder is unknown.
      })
    return () => abort.abort()
  }, [agent, session, isOnline, changed])
  return place
}
