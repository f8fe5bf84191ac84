import { useState } from 'react'
import { useLocation } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { local } from '../state/local.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { CloseIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { install, useInstall } from './install.ts'
import { platform } from './platform.ts'

const aside = 'install-aside'

/** Offers once to install the app on a phone. */
export function InstallBanner() {
  const offer = useInstall(({ offer: kept }) => kept)
  const [isAside, setAside] = useState(() => local.read<boolean>(aside) === true)
  const [, go] = useLocation()
  const { kind, isInstalled } = platform()
  // Apple browsers cannot install by script.
  const isPossible = kind === 'apple' || (kind === 'android' && offer !== undefined)
  if (isAside || isInstalled || !isPossible) return null
  const close = (): void => {
    local.write(aside, true)
    setAside(true)
  }
  return (
    <section
      aria-label={words.notifications.install}
      className="mx-4 my-1.5 flex items-center gap-1 rounded-card border border-line bg-raised py-1 pr-1 pl-4 lg:hidden"
    >
      <p className="min-w-0 flex-1 text-sm text-dim">{words.notifications.installBanner}</p>
      <Button
        variant="quiet"
        className="px-3! text-accent"
        onClick={() => (offer ? void install() : go(`${routes.settings}/notifications`))}
      >
        {words.notifications.installNow}
      </Button>
      <IconButton label={words.sessions.notNow} onClick={close}>
        <CloseIcon className="size-4" />
      </IconButton>
    </section>
  )
}
