import { Button } from '../ui/button.tsx'
import { CheckIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { install, useInstall } from '../notifications/install.ts'
import { platform } from '../notifications/platform.ts'
import { Steps } from './steps.tsx'

/** How this page becomes an app: by one tap where the browser offers it, else by hand. */
export function InstallHint() {
  const offer = useInstall(({ offer: kept }) => kept)
  const { kind, isInstalled } = platform()
  if (isInstalled)
    return (
      <p className="flex items-center gap-2 px-1 text-sm text-dim">
        <CheckIcon />
        {words.notifications.installed}
      </p>
    )
  return (
    <section className="flex flex-col gap-3 rounded-card border border-line bg-raised p-5">
      <h2 className="font-semibold">{words.notifications.install}</h2>
      <p className="text-dim">{words.notifications.installHint}</p>
      {offer ? (
        <Button className="min-h-12 self-start" onClick={() => void install()}>
          {words.notifications.installNow}
        </Button>
      ) : (
        <>
          <Steps steps={words.notifications.installSteps[kind === 'apple' ? 'apple' : 'other']} />
          {kind !== 'apple' && <p className="text-sm text-dim">{words.notifications.installNot}</p>}
        </>
      )}
    </section>
  )
}
