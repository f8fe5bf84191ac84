import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { isSame } from '../state/live.ts'
import { moveDraft, readDraft, writeDraft } from '../state/drafts.ts'
import type { SessionKey } from '../wire/api.ts'
import { type Attachments, useAttachments } from './use-attachments.ts'

export interface DraftState {
  readonly text: string
  readonly setText: (text: string) => void
  readonly attachments: Attachments
  readonly clear: () => void
}

/** The draft of a session, stored with every change. */
export function useDraft({ agent, session }: SessionKey, live: string | undefined): DraftState {
  const [text, setText] = useState(() => {
    if (live !== undefined) moveDraft({ agent, session: live }, { agent, session })
    return readDraft({ agent, session }).text
  })
  const attachments = useAttachments()
  const { list, restore, clear } = attachments
  const isRestored = useRef(false)

  useEffect(() => {
    const key = { agent, session }
    const take = (): void => {
      const draft = readDraft(key)
      setText(draft.text)
      restore(draft.files ?? [])
    }
    take()
    isRestored.current = true
    // A prompt that the agent did not receive returns to the draft.
    const onDraft = (event: Event): void => {
      if (isSame((event as CustomEvent<SessionKey>).detail, key)) take()
    }
    addEventListener('remora:draft', onDraft)
    return () => removeEventListener('remora:draft', onDraft)
  }, [agent, session, restore])

  const files = list.flatMap(({ upload }) => (upload ? [upload] : []))
  const written = JSON.stringify(files)
  const before = useRef(written)
  // Stored before it is visible, because the user may leave at once.
  useLayoutEffect(() => {
    // The stored draft must be restored first.
    if (!isRestored.current || before.current === written) return
    before.current = written
    writeDraft(
      { agent, session },
      { text: readDraft({ agent, session }).text, files: JSON.parse(written) as typeof files },
    )
  }, [agent, session, written])

  return {
    text,
    setText: (next) => {
      setText(next)
      writeDraft({ agent, session }, { text: next, files })
    },
    attachments,
    clear: () => {
      setText('')
      clear()
      writeDraft({ agent, session }, { text: '' })
    },
  }
}
