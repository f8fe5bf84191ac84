import { navigate } from 'wouter/use-browser-location'
import { routes } from '../navigation/routes.ts'
import { openAsk } from '../asks/open-ask.ts'

/** A tap on a notification, while the app is open: it shows what the notification was about. */
export function hearWorker(container: ServiceWorkerContainer): void {
  container.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const said = data as { type?: unknown; agent?: unknown; session?: unknown } | null
    if (said?.type !== 'open') return
    const { agent, session } = said
    if (typeof agent !== 'string' || typeof session !== 'string') return navigate(routes.sessions)
    navigate(routes.session({ agent, session }))
    openAsk({ agent, session })
  })
  container.startMessages()
}
