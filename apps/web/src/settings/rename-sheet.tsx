import type { Device } from '@remora/protocol/api'
import { type FormEvent, useId, useState } from 'react'
import { toastError } from '../state/toasts.ts'
import { api } from '../wire/api.ts'
import { Button } from '../ui/button.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { TextField } from '../ui/text-field.tsx'
import { words } from '../words/index.ts'

export function RenameSheet({ device, onClose }: { readonly device: Device; readonly onClose: () => void }) {
  const [name, setName] = useState(device.name)
  const form = useId()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    api
      .patch('/api/devices/:id', { params: { id: device.id }, body: { name: name.trim() } })
      .then(onClose, toastError)
  }
  return (
    <Sheet
      title={words.settings.rename}
      onClose={onClose}
      footer={
        <Button
          type="submit"
          form={form}
          variant="primary"
          wide
          disabled={name.trim() === ''}
          className="mb-2 min-h-12"
        >
          {words.settings.save}
        </Button>
      }
    >
      <form id={form} onSubmit={submit}>
        <TextField label={words.settings.name} value={name} maxLength={60} onText={setName} />
      </form>
    </Sheet>
  )
}
