import type { Preferences } from '@remora/protocol/api'
import { useEffect, useState } from 'react'
import { toast, toastError } from '../state/toasts.ts'
import { ApiError, api } from '../wire/api.ts'
import { Button } from '../ui/button.tsx'
import { BellIcon } from '../ui/icons.tsx'
import { Group } from '../settings/group.tsx'
import { NotLoaded } from '../settings/not-loaded.tsx'
import { SwitchRow } from '../settings/switch-row.tsx'
import { useLoaded } from '../settings/use-loaded.ts'
import { words } from '../words/index.ts'
import { InstallHint } from './install-hint.tsx'
import { NotPossible } from './not-possible.tsx'
import { punishesSilence } from './platform.ts'
import { ownSubscription, possibility, subscribe, unsubscribe } from './push.ts'

const loadPush = (signal: AbortSignal) => api.get('/api/push', { signal })
const kinds = ['ask', 'done', 'error', 'badge'] as const

/** When this device tells its person something. */
export function NotificationsPage() {
  const { value, problem, reload } = useLoaded(loadPush)
  const [can, setCan] = useState(possibility)
  const [isOwn, setOwn] = useState<boolean>()
  useEffect(() => {
    ownSubscription().then(
      (subscription) => setOwn(subscription !== undefined),
      () => setOwn(false),
    )
    // Whoever has undone a no in the settings of the device comes back to this page.
    const look = (): void => setCan(possibility())
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [value])
  if (can !== 'possible')
    return (
      <>
        <NotPossible why={can} />
        {can !== 'install first' && <InstallHint />}
      </>
    )
  if (!value || isOwn === undefined) return <NotLoaded problem={problem} reload={reload} />
  // Where one of the two has forgotten the other, nothing comes.
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
      <Button look="primary" wide disabled={isBusy} className="min-h-14" onClick={() => void turnOn()}>
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
        hint={punishesSilence(navigator.userAgent) ? words.notifications.badgeOnApple : undefined}
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
      <Button look="risky" className="min-h-12" onClick={() => void unsubscribe().then(reload, toastError)}>
        {words.notifications.turnOff}
      </Button>
    </>
  )
}
