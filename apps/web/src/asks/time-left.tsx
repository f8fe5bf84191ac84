import { useEffect, useState } from 'react'
import { words } from '../words/index.ts'

/** Counts down until the request is denied automatically. */
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
      {seconds > 0 ? words.asks.left(formatTimeLeft(seconds)) : words.asks.expired}
    </p>
  )
}

/** @example formatTimeLeft(250) // '4:10' */
export function formatTimeLeft(seconds: number): string {
  const rest = (count: number): string => String(count).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  const tail = rest(seconds % 60)
  return minutes < 60 ? `${minutes}:${tail}` : `${Math.floor(minutes / 60)}:${rest(minutes % 60)}:${tail}`
}
