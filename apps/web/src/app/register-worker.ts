import { keepInstallOffer } from '../notifications/install.ts'
import { toast } from '../state/toasts.ts'
import { words } from '../words/index.ts'
import { navigate } from 'wouter/use-browser-location'
import { routes } from '../navigation/routes.ts'
import { openAsk } from '../asks/open-ask.ts'

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string }
}

/** Keeps the app on the device, and says when a newer one is there. */
export function registerWorker(): void {
  keepInstallOffer()
  if (!('serviceWorker' in navigator) || import.meta.env.DEV) return
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  // The one address of a script that the page may name itself.
  const policy = trustedTypes?.createPolicy('remora', { createScriptURL: () => '/sw.js' })
  const { serviceWorker } = navigator
  const hadOne = serviceWorker.controller !== null
  listenToWorker(serviceWorker)
  serviceWorker
    .register(policy?.createScriptURL('') ?? '/sw.js')
    .then((registration) => {
      const offer = (): void => {
        const { waiting } = registration
        if (!waiting || !serviceWorker.controller) return
        toast(words.app.updated, {
          action: { label: words.app.reload, run: () => waiting.postMessage('take over', []) },
        })
      }
      offer()
      registration.addEventListener('updatefound', () => {
        registration.installing?.addEventListener('statechange', offer)
      })
      document.addEventListener('visibilitychange', () => {
        if (document.visibilityState === 'visible') registration.update().catch(() => {})
      })
    })
    .catch(() => {
      // As where certificates are not trusted: the app works, but not without a connection.
    })
  serviceWorker.addEventListener('controllerchange', () => {
    if (hadOne) location.reload()
  })
}

/** A tap on a notification, while the app is open: it shows what the notification was about. */
function listenToWorker(container: ServiceWorkerContainer): void {
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
