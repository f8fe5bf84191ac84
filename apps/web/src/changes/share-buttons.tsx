import { mask } from '@remora/protocol/plain'
import { copy } from '../chat/code/copy.ts'
import { toast, toastError } from '../state/toasts.ts'
import { api } from '../wire/api.ts'
import { IconButton } from '../ui/button.tsx'
import { CopyIcon, ShareIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'

/** More is no text that one pastes. */
const mostLines = 10_000

/** Takes the text along: to the clipboard, or to another app where the device can. */
export function ShareButtons({ path, name }: { readonly path: string; readonly name: string }) {
  const withText = async (use: (text: string) => void | Promise<void>): Promise<void> => {
    try {
      const view = await api.get('/api/files', { query: { path, from: 1, count: mostLines } })
      if (view.kind !== 'text') return
      await use(view.text)
      if (view.cut || view.lines > mostLines) toast(words.files.copiedSome(view.text.split('\n').length))
    } catch (error) {
      // Who closes the sheet of the device has changed his mind.
      if (!(error instanceof DOMException && error.name === 'AbortError')) toastError(error)
    }
  }
  const canShare = typeof navigator.share === 'function'
  return (
    <>
      <IconButton label={words.files.copyText} onClick={() => void withText(copy)}>
        <CopyIcon />
      </IconButton>
      {canShare && (
        <IconButton
          label={words.files.share}
          onClick={() => void withText((text) => navigator.share({ title: name, text: mask(text) }))}
        >
          <ShareIcon />
        </IconButton>
      )}
    </>
  )
}
