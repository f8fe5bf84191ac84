import { useEffect, useState } from 'react'
import { useConnection } from '../state/connection.ts'
import { useOutbox } from '../state/outbox.ts'
import { words } from '../words/index.ts'

/** A shorter interruption is not shown. */
const delayMs = 1_200

export function ConnectionBar() {
  const { state, since, isBusy } = useConnection()
  const unsent = useOutbox(({ unsent: all }) => all.length)
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    setNow(Date.now())
    if (state === 'online') return undefined
    const timers = [
      setTimeout(() => setNow(Date.now()), delayMs),
      setInterval(() => setNow(Date.now()), 20_000),
    ]
    return () => timers.forEach(clearTimeout)
  }, [state, since])
  if ((state === 'online' && !isBusy) || (state === 'connecting' && now - since < delayMs)) return null
  const minutes = Math.floor((now - since) / 60_000)
  const text =
    state === 'online'
      ? words.connection.busy
      : state === 'connecting'
        ? words.connection.connecting
        : !navigator.onLine
          ? words.connection.noNetwork
          : minutes > 0
            ? words.connection.offlineSince(minutes)
            : words.connection.offline
  return (
    <div role="status" data-testid="connection" className="pt-safe bg-warn-soft text-warn">
      <p className="px-4 py-1.5 text-sm">
        {text}
        {unsent > 0 && ` · ${words.connection.unsent(unsent)}`}
      </p>
    </div>
  )
}
