import { Suspense, lazy, useEffect } from 'react'
import { useLocation, useParams } from 'wouter'
import { client } from '../state/client.ts'
import { useLiveSession } from '../state/live.ts'
import { Busy } from '../ui/busy.tsx'
import { useChatScreen } from './load-chat.ts'
import { routes } from '../navigation/routes.ts'

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
export function SessionRoute() {
  const { agent = '', session = '', '*': part = '' } = useParams()
  const [, go] = useLocation()
  const live = useLiveSession({ agent, session })
  const current = live && live.id === session ? live.session : session
  useEffect(() => {
    if (current !== session) go(routes.session({ agent, session: current }), { replace: true })
  }, [agent, session, current, go])
  useEffect(() => {
    client.look({ agent, session })
    return () => client.look(undefined)
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
