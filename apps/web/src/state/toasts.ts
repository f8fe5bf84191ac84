import { create } from 'zustand'
import { words } from '../words/index.ts'
import { ApiError } from '../wire/api.ts'

export interface Toast {
  readonly id: number
  readonly text: string
  readonly hint?: string | undefined
  readonly kind: 'info' | 'bad'
  readonly action?: { readonly label: string; readonly run: () => void } | undefined
}

const shownMs = 4_000
let count = 0

export const useToasts = create<{ readonly toasts: readonly Toast[] }>(() => ({ toasts: [] }))

/** Shows a short message. With an action it stays until it is closed. @example toast(words.app.copied) */
export function toast(text: string, more: Partial<Omit<Toast, 'id' | 'text'>> = {}): void {
  const id = ++count
  useToasts.setState(({ toasts }) => ({ toasts: [...toasts.slice(-2), { id, text, kind: 'info', ...more }] }))
  if (!more.action) setTimeout(() => closeToast(id), shownMs + text.length * 30)
}

export function closeToast(id: number): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((each) => each.id !== id) }))
}

/** Shows an error and its hint. @example await rename().catch(toastError) */
export function toastError(error: unknown): void {
  const { message, hint } =
    error instanceof ApiError ? error : { message: words.app.failed, hint: String(error) }
  toast(message, { kind: 'bad', hint })
}
