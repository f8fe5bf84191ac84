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

/** Installs the service worker and offers to reload when an update is available. */
export function registerWorker(): void {
  keepInstallOffer()
  if (!('serviceWorker' in navigator) || import.meta.env.DEV) return
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  // The only script URL that the page may load by itself.
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
      // Registration fails with an untrusted certificate. The app works, but not offline.
    })
  serviceWorker.addEventListener('controllerchange', () => {
    if (hadOne) location.reload()
  })
}

/** Opens what a notification is about when it is tapped while the app is open. */
function listenToWorker(container: ServiceWorkerContainer): void {
  container.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const message = data as { type?: unknown; agent?: unknown; session?: unknown } | null
    if (message?.type !== 'open') return
    const { agent, session } = message
    if (typeof agent !== 'string' || typeof session !== 'string') return navigate(routes.sessions)
    navigate(routes.session({ agent, session }))
    openAsk({ agent, session })
  })
  container.startMessages()
}
