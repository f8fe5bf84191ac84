import { create } from 'zustand'

/** What Chromium gives, once, when the app can be installed. */
interface InstallEvent extends Event {
  prompt(): Promise<unknown>
}

export const useInstall = create<{ readonly offer: InstallEvent | undefined }>(() => ({ offer: undefined }))

/** The browser offers it early and once: the offer is kept until somebody wants it. */
export function keepInstallOffer(): void {
  addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault()
    useInstall.setState({ offer: event as InstallEvent })
  })
  addEventListener('appinstalled', () => useInstall.setState({ offer: undefined }))
}

export async function install(): Promise<void> {
  const { offer } = useInstall.getState()
  useInstall.setState({ offer: undefined })
  await offer?.prompt()
}
