import { useState } from 'react'
import { useLocation } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { startLive } from '../sessions/start-live.ts'
import { useIsViewer } from '../state/connection.ts'
import { toastError } from '../state/toasts.ts'
import { type SessionKey, api } from '../wire/api.ts'
import { Button } from '../ui/button.tsx'
import { words } from '../words/index.ts'

/** Resumes the session in a terminal. */
export function ContinueButton({ session }: { readonly session: SessionKey }) {
  const [isStarting, setStarting] = useState(false)
  const [, go] = useLocation()
  const isViewer = useIsViewer()
  const start = async (): Promise<void> => {
    setStarting(true)
    try {
      const info = await api.get('/api/sessions/:agent/:session', { params: session })
      const live = await startLive({
        agent: session.agent,
        cwd: info.cwd ?? '',
        resume: session.session,
        channel: 'terminal',
      })
      // Some agents give a resumed session a new id.
      go(routes.session(live, 'terminal'), { replace: true })
    } catch (error) {
      toastError(error)
    } finally {
      setStarting(false)
    }
  }
  if (isViewer) return null
  return (
    <Button variant="primary" disabled={isStarting} onClick={() => void start()}>
      {isStarting ? words.terminal.resuming : words.terminal.resume}
    </Button>
  )
}
