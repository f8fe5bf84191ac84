import { toast, toastError } from '../state/toasts.ts'
import { words } from '../words/index.ts'

/** Copies a text to the clipboard and shows a confirmation. */
export function copy(text: string): void {
  // Browsers offer no clipboard without a trusted certificate.
  const clipboard = navigator.clipboard as Clipboard | undefined
  if (!clipboard) {
    toast(words.message.noClipboard, { kind: 'bad' })
    return
  }
  clipboard.writeText(text).then(() => toast(words.app.copied), toastError)
}
