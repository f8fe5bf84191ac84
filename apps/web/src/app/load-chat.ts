import { type ComponentType, startTransition, useEffect, useState } from 'react'
import { loadAskDialog } from '../asks/load-ask-dialog.ts'
import type { SessionKey } from '../wire/api.ts'
import { whenIdle } from '../browser/when-idle.ts'

type Screen = ComponentType<{ readonly session: SessionKey }>

let loaded: Screen | undefined

/** The largest part of the app. The list does not need it, so it is fetched afterwards. */
async function loadChat(): Promise<Screen> {
  // The Markdown lexer takes as long to start as everything else, so it loads separately.
  const reader = import('../markdown/lex.ts')
  const { ChatScreen } = await import('../chat/chat-screen.tsx')
  await reader
  return (loaded = ChatScreen)
}

/** Loads the parts of a conversation one after the other while the browser is idle, so that input stays responsive. */
export function loadChatSoon(): void {
  const parts = [() => import('../markdown/lex.ts'), loadChat, loadAskDialog]
  const next = (): void => {
    const part = parts.shift()
    if (part) whenIdle(() => void part().then(next, () => {}))
  }
  next()
}

/**
 * The conversation screen once it has loaded. React's `lazy` would show its fallback for at least a third of a
 * second. Like `lazy`, this throws if loading fails.
 */
export function useChatScreen(isWanted: boolean): Screen | undefined {
  const [screen, setScreen] = useState(() => loaded)
  const [failed, setFailed] = useState<{ readonly error: unknown }>()
  useEffect(() => {
    if (!isWanted || screen) return undefined
    let isGone = false
    loadChat().then(
      (found) => {
        if (!isGone) startTransition(() => setScreen(() => found))
      },
      (error: unknown) => {
        if (!isGone) setFailed({ error })
      },
    )
    return () => {
      isGone = true
    }
  }, [isWanted, screen])
  if (failed) throw failed.error
  return screen
}
