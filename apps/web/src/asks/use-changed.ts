import { useState } from 'react'
import type { PendingAsk } from '../state/live.ts'
import { nameOf } from './choose-ask.ts'

/** Whether an ask is another one now than when it came into sight. */
export function useChanged(pending: PendingAsk): boolean {
  const name = nameOf(pending)
  const { digest } = pending.ask
  const [first, setFirst] = useState({ name, digest })
  if (first.name !== name) setFirst({ name, digest })
  return first.name === name && first.digest !== digest
}
