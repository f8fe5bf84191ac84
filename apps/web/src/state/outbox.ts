import type { CommandBody } from '@remora/protocol'
import { create } from 'zustand'
import type { SessionKey } from '../wire/api.ts'
import { local } from './local.ts'

/** A prompt that the server has not acknowledged yet. */
export interface Unsent {
  readonly id: string
  readonly target: SessionKey
  readonly body: Extract<CommandBody, { kind: 'prompt' }>
  readonly at: number
}

const key = 'outbox'

/** Stores prompts across reloads until the server acknowledges them. Their ids prevent duplicates. */
export const useOutbox = create<{ readonly unsent: readonly Unsent[] }>(() => ({
  unsent: local.read<Unsent[]>(key) ?? [],
}))

useOutbox.subscribe(({ unsent }) => local.write(key, unsent))

/** Stores a prompt before it is sent. */
export function keepUnsent(unsent: Unsent): void {
  useOutbox.setState((before) => ({ unsent: [...before.unsent, unsent] }))
}

export function forgetUnsent(id: string): Unsent | undefined {
  const found = useOutbox.getState().unsent.find((each) => each.id === id)
  if (found) useOutbox.setState(({ unsent }) => ({ unsent: unsent.filter((each) => each.id !== id) }))
  return found
}

// Another window of the app may have sent them.
if (typeof addEventListener === 'function')
  addEventListener('storage', ({ key: changed }) => {
    if (changed === `remora:${key}`) useOutbox.setState({ unsent: local.read<Unsent[]>(key) ?? [] })
  })
