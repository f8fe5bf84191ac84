import { toast, toastError } from '../state/toasts.ts'
import { words } from '../words/index.ts'

/** Puts a text where it can be pasted from, and says so. */
export function copy(text: string): void {
  // Without a certificate that the browser trusts there is no clipboard.
  const clipboard = navigator.clipboard as Clipboard | undefined
  if (!clipboard) {
    toast(words.message.noClipboard, { kind: 'bad' })
    return
  }
  clipboard.writeText(text).then(() => toast(words.app.copied), toastError)
}
