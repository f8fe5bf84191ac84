import { useEffect, useState } from 'react'
import { words } from '../words/index.ts'
import { timeText } from './time-text.ts'

/** How long somebody can still answer. */
export function TimeLeft({ until }: { readonly until: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.ceil((until - now) / 1_000)
  const isShort = seconds <= 30
  return (
    <p role="timer" className={`text-sm ${isShort ? 'font-medium text-warn' : 'text-dim'}`}>
      {seconds > 0 ? words.asks.left(timeText(seconds)) : words.asks.expired}
    </p>
  )
}
