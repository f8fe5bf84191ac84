import { type FormEvent, useId, useState } from 'react'
import { changeSession } from '../sessions/session-list.ts'
import { toastError } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Sheet } from '../ui/sheet.tsx'
import type { SessionKey } from '../wire/api.ts'
import { words } from '../words/index.ts'

/** A name of one's own for a session. */
export function RenameForm({
  session,
  name,
  onClose,
}: {
  readonly session: SessionKey
  readonly name: string
  readonly onClose: () => void
}) {
  const [text, setText] = useState(name)
  const id = useId()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    changeSession(session, { name: text.trim() || null }).then(onClose, toastError)
  }
  return (
    <Sheet title={words.header.rename} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <label htmlFor={id} className="text-sm text-dim">
          {words.header.name}
        </label>
        <input
          id={id}
          value={text}
          onChange={({ target }) => setText(target.value)}
          maxLength={200}
          dir="auto"
          autoComplete="off"
          className="min-h-11 rounded-xl border border-line bg-paper px-3"
        />
        <p className="text-sm text-dim">{words.header.nameHint}</p>
        <Button type="submit" look="primary" wide>
          {words.header.save}
        </Button>
      </form>
    </Sheet>
  )
}
