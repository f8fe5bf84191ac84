import type { SessionInfo } from '@remora/protocol/api'
import { type FormEvent, useState } from 'react'
import { changeSession } from '../sessions/session-list.ts'
import { getSessionTitle } from '../sessions/session-title.ts'
import { toastError } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { TextField } from '../ui/text-field.tsx'
import { words } from '../words/index.ts'

/** Names a session. An empty name restores the agent's own title. */
export function RenameSheet({ info, onClose }: { readonly info: SessionInfo; readonly onClose: () => void }) {
  const [name, setName] = useState(info.name ?? '')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    changeSession(info, { name: name.trim() || null }).then(onClose, toastError)
  }
  return (
    <Sheet title={words.header.rename} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label={words.header.name}
          value={name}
          maxLength={200}
          autoComplete="off"
          // The user asked for this field a moment ago.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          placeholder={getSessionTitle({ title: info.title, firstPrompt: info.firstPrompt })}
          onText={setName}
        />
        <p className="text-sm text-dim">{words.header.nameHint}</p>
        <Button type="submit" variant="primary" wide>
          {words.header.save}
        </Button>
      </form>
    </Sheet>
  )
}
