import { useState } from 'react'
import { toastError } from '../state/toasts.ts'
import { Button } from './button.tsx'
import { Sheet } from './sheet.tsx'
import { words } from '../words/index.ts'

export interface ConfirmSheetProps {
  readonly title: string
  readonly hint: string
  readonly action: string
  readonly onClose: () => void
  /** The sheet closes when it resolves. On an error it stays open and shows it. */
  readonly onConfirm: () => Promise<void>
}

/** Confirms a destructive action. */
export function ConfirmSheet({ title, hint, action, onClose, onConfirm }: ConfirmSheetProps) {
  const [isBusy, setBusy] = useState(false)
  const confirm = async (): Promise<void> => {
    setBusy(true)
    try {
      await onConfirm()
      onClose()
    } catch (error) {
      toastError(error)
      setBusy(false)
    }
  }
  return (
    <Sheet
      title={title}
      onClose={onClose}
      footer={
        <div className="flex justify-between gap-8 pb-2">
          <Button autoFocus onClick={onClose} className="min-h-14 flex-1">
            {words.app.cancel}
          </Button>
          <Button
            variant="danger"
            disabled={isBusy}
            onClick={() => void confirm()}
            className="min-h-14 flex-1"
          >
            {action}
          </Button>
        </div>
      }
    >
      <p className="break-words">{hint}</p>
    </Sheet>
  )
}
