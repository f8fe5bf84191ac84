import { type ComponentType, startTransition, useEffect, useState } from 'react'
import { loadAskDialog } from '../asks/load-ask-dialog.ts'
import type { SessionKey } from '../wire/api.ts'
import { whenIdle } from '../browser/when-idle.ts'

type Screen = ComponentType<{ readonly session: SessionKey }>

let loaded: Screen | undefined

/** The largest part of the app. It is not needed for the list, and fetched behind it. */
async function loadChat(): Promise<Screen> {
  // What reads Markdown takes as long to begin as all the rest, so each gets its own turn.
  const reader = import('../markdown/lex.ts')
  const { ChatScreen } = await import('../chat/chat-screen.tsx')
  await reader
  return (loaded = ChatScreen)
}

/** Who reads the list opens a conversation next. One after the other, so that a finger never waits for all of them. */
export function loadChatSoon(): void {
  const parts = [() => import('../markdown/lex.ts'), loadChat, loadAskDialog]
  const next = (): void => {
    const part = parts.shift()
    if (part) whenIdle(() => void part().then(next, () => {}))
  }
  next()
}

/**
 * The screen of a conversation, once it is there. Not by `lazy`: what it shows in the meantime would stay for a third
 * of a second at least. Throws where it cannot be fetched, as `lazy` does.
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
