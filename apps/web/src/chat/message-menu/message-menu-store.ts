import type { Message } from '@remora/protocol'
import { create } from 'zustand'
import type { SessionKey } from '../../wire/api.ts'

/** The message whose menu is open. */
export interface MenuTarget {
  readonly session: SessionKey
  readonly message: Message
  /** The index in the whole conversation. */
  readonly index: number
}

/** Stored outside the message view, which may scroll away while its menu is open. */
export const useMessageMenu = create<{ readonly target: MenuTarget | undefined }>(() => ({
  target: undefined,
}))

export function openMessageMenu(target: MenuTarget): void {
  useMessageMenu.setState({ target })
}

export function closeMessageMenu(): void {
  useMessageMenu.setState({ target: undefined })
}
