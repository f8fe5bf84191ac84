import type { Instruction } from '@remora/protocol/api'
import { type FormEvent, useId, useState } from 'react'
import { toastError } from '../state/toasts.ts'
import { api } from '../wire/api.ts'
import { Button } from '../ui/button.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { TextField } from '../ui/text-field.tsx'
import { words } from '../words/index.ts'

export interface InstructionSheetProps {
  /** Undefined for new instructions. */
  readonly instruction: Instruction | undefined
  readonly onClose: () => void
  readonly onSaved: () => void
}

/** Creates or edits instructions. */
export function InstructionSheet({ instruction, onClose, onSaved }: InstructionSheetProps) {
  const [title, setTitle] = useState(instruction?.title ?? '')
  const [text, setText] = useState(instruction?.text ?? '')
  const form = useId()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const body = { title: title.trim(), text: text.trim() }
    const saved = instruction
      ? api.patch('/api/instructions/:id', { params: { id: instruction.id }, body })
      : api.post('/api/instructions', { body })
    saved.then(() => {
      onSaved()
      onClose()
    }, toastError)
  }
  return (
    <Sheet
      title={instruction ? words.settings.editInstruction : words.settings.addInstruction}
      onClose={onClose}
      footer={
        <Button
          type="submit"
          form={form}
          variant="primary"
          wide
          disabled={title.trim() === '' || text.trim() === ''}
          className="mb-2 min-h-12"
        >
          {words.settings.save}
        </Button>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        <TextField label={words.settings.instructionTitle} value={title} maxLength={100} onText={setTitle} />
        <label className="flex flex-col gap-1.5">
          <span className="text-sm font-medium">{words.settings.instructionText}</span>
          <textarea
            value={text}
            rows={7}
            maxLength={20_000}
            dir="auto"
            onChange={({ target }) => setText(target.value)}
            className="rounded-xl border border-line bg-paper px-4 py-3"
          />
        </label>
      </form>
    </Sheet>
  )
}
