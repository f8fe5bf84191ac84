import { create } from 'zustand'

/** Chromium's event that allows installing the app. */
interface InstallEvent extends Event {
  prompt(): Promise<unknown>
}

export const useInstall = create<{ readonly offer: InstallEvent | undefined }>(() => ({ offer: undefined }))

/** The browser sends the event early and once, so it is stored. */
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
