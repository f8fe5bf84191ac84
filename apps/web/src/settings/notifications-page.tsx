import type { Preferences } from '@remora/protocol/api'
import { useEffect, useState } from 'react'
import { toast, toastError } from '../state/toasts.ts'
import { api, ApiError } from '../wire/api.ts'
import { Button } from '../ui/button.tsx'
import { BellIcon, CheckIcon } from '../ui/icons.tsx'
import { Group } from './group.tsx'
import { Busy } from '../ui/busy.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { useLoaded } from './use-loaded.ts'
import { words } from '../words/index.ts'
import { platform, revokesOnSilentPush } from '../notifications/platform.ts'
import {
  type Possibility,
  ownSubscription,
  possibility,
  subscribe,
  unsubscribe,
} from '../notifications/push.ts'
import { install, useInstall } from '../notifications/install.ts'

const loadPush = (signal: AbortSignal) => api.get('/api/push', { signal })
const kinds = ['ask', 'done', 'error', 'badge'] as const

/** The notification settings of this device. */
export function NotificationsPage() {
  const { value, problem, reload } = useLoaded(loadPush)
  const [can, setCan] = useState(possibility)
  const [isOwn, setOwn] = useState<boolean>()
  useEffect(() => {
    ownSubscription().then(
      (subscription) => setOwn(subscription !== undefined),
      () => setOwn(false),
    )
    // The user may return after allowing notifications in the device settings.
    const refresh = (): void => setCan(possibility())
    document.addEventListener('visibilitychange', refresh)
    return () => document.removeEventListener('visibilitychange', refresh)
  }, [value])
  if (can !== 'possible')
    return (
      <>
        <NotPossible why={can} />
        {can !== 'install first' && <InstallHint />}
      </>
    )
  if (!value || isOwn === undefined)
    return problem ? <LoadError error={problem} onRetry={reload} /> : <Busy />
  // Notifications arrive only if both sides know the subscription.
  const preferences = value.subscribed && isOwn ? value.preferences : undefined
  return (
    <>
      {preferences ? (
        <WhenOn key={JSON.stringify(preferences)} preferences={preferences} reload={reload} />
      ) : (
        <WhenOff publicKey={value.publicKey} reload={reload} onAnswer={() => setCan(possibility())} />
      )}
      <InstallHint />
    </>
  )
}

interface WhenOffProps {
  readonly publicKey: string
  readonly reload: () => void
  readonly onAnswer: () => void
}

function WhenOff({ publicKey, reload, onAnswer }: WhenOffProps) {
  const [isBusy, setBusy] = useState(false)
  const turnOn = async (): Promise<void> => {
    setBusy(true)
    try {
      if (await subscribe(publicKey)) toast(words.notifications.on)
      onAnswer()
      reload()
    } catch (error) {
      if (error instanceof ApiError) toastError(error)
      else toast(words.notifications.refused, { kind: 'bad', hint: words.notifications.refusedHint })
    } finally {
      setBusy(false)
    }
  }
  return (
    <section className="flex flex-col gap-4 rounded-card border border-line bg-raised p-5">
      <span className="flex size-14 items-center justify-center rounded-2xl bg-accent-soft text-accent">
        <BellIcon className="size-7" />
      </span>
      <h2 className="text-lg font-semibold">{words.notifications.off}</h2>
      <p>{words.notifications.lead}</p>
      {Notification.permission === 'default' && <p className="text-dim">{words.notifications.asks}</p>}
      <Button variant="primary" wide disabled={isBusy} className="min-h-14" onClick={() => void turnOn()}>
        {isBusy ? words.notifications.turningOn : words.notifications.turnOn}
      </Button>
    </section>
  )
}

function WhenOn({ preferences, reload }: { readonly preferences: Preferences; readonly reload: () => void }) {
  const [wishes, setWishes] = useState(preferences)
  const prefer = (kind: keyof Preferences, isOn: boolean): void => {
    setWishes({ ...wishes, [kind]: isOn })
    api.patch('/api/push/preferences', { body: { [kind]: isOn } }).then(
      ({ preferences: now }) => setWishes(now),
      (error: unknown) => {
        setWishes(wishes)
        toastError(error)
      },
    )
  }
  const test = async (): Promise<void> => {
    const { sent } = await api.post('/api/push/test')
    const { tested, testedHint, notTested, notTestedHint } = words.notifications
    toast(sent ? tested : notTested, {
      kind: sent ? 'info' : 'bad',
      hint: sent ? testedHint : notTestedHint,
    })
  }
  return (
    <>
      <Group
        title={words.notifications.kinds}
        hint={revokesOnSilentPush(navigator.userAgent) ? words.notifications.badgeOnApple : undefined}
      >
        {kinds.map((kind) => (
          <SwitchRow
            key={kind}
            label={words.notifications.kind[kind]}
            hint={words.notifications.kindHint[kind]}
            isOn={wishes[kind]}
            onChange={(isOn) => prefer(kind, isOn)}
          />
        ))}
      </Group>
      <p className="px-1 text-sm text-dim">{words.notifications.onHint}</p>
      <Button className="min-h-12" onClick={() => void test().catch(toastError)}>
        {words.notifications.test}
      </Button>
      <Button
        variant="risky"
        className="min-h-12"
        onClick={() => void unsubscribe().then(reload, toastError)}
      >
        {words.notifications.turnOff}
      </Button>
    </>
  )
}

/** How to install the app: with a button where the browser supports it, else by hand. */
function InstallHint() {
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

/** Why notifications are not possible, and how to fix it. */
function NotPossible({ why }: { readonly why: Exclude<Possibility, 'possible'> }) {
  const { blocked, blockedHint, blockedSteps, impossible, installFirst, installSteps, noSupport, notSecure } =
    words.notifications
  const hints = {
    blocked: blockedHint,
    'install first': installFirst,
    'no support': noSupport,
    'not secure': notSecure,
  }
  return (
    <section className="flex flex-col gap-3 rounded-card border border-line bg-raised p-5">
      <h2 className="text-lg font-semibold">{why === 'blocked' ? blocked : impossible}</h2>
      <p>{hints[why]}</p>
      {why === 'blocked' && <Steps steps={blockedSteps[platform().kind]} />}
      {why === 'install first' && <Steps steps={installSteps.apple} />}
    </section>
  )
}

function Steps({ steps }: { readonly steps: readonly string[] }) {
  return (
    <ol className="flex flex-col gap-3">
      {steps.map((step, index) => (
        <li key={step} className="flex gap-3">
          <span
            aria-hidden="true"
            className="flex size-7 shrink-0 items-center justify-center rounded-full bg-accent-soft text-sm font-semibold text-accent"
          >
            {index + 1}
          </span>
          <span className="min-w-0 flex-1 pt-0.5">{step}</span>
        </li>
      ))}
    </ol>
  )
}

interface SwitchRowProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly isOn: boolean
  readonly disabled?: boolean
  readonly onChange: (isOn: boolean) => void
}

/** A switch across the whole width. */
function SwitchRow({ label, hint, isOn, disabled, onChange }: SwitchRowProps) {
  return (
    <label className="flex min-h-14 cursor-pointer items-center gap-4 border-b border-line px-4 py-2 last:border-b-0">
      <span className="min-w-0 flex-1">
        <span className="block font-medium">{label}</span>
        {hint && <span className="block text-sm text-dim">{hint}</span>}
      </span>
      <input
        type="checkbox"
        role="switch"
        checked={isOn}
        disabled={disabled}
        onChange={({ target }) => onChange(target.checked)}
        className="peer sr-only"
      />
      <span
        aria-hidden="true"
        className="relative h-7 w-12 shrink-0 rounded-full border border-faint bg-sunken transition-colors peer-checked:border-accent peer-checked:bg-accent peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-accent peer-disabled:opacity-45 after:absolute after:top-0.5 after:left-0.5 after:size-5.5 after:rounded-full after:bg-raised after:shadow after:transition-transform peer-checked:after:translate-x-5"
      />
    </label>
  )
}
