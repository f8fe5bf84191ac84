import { mask } from '@remora/protocol/plain'
import { copy } from '../browser/copy.ts'
import { toast, toastError } from '../state/toasts.ts'
import { api } from '../wire/api.ts'
import { IconButton } from '../ui/button.tsx'
import { CopyIcon, ShareIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'

/** The limit for copying. */
const maxLines = 10_000

/** Copies the text, or shares it where the device can. */
export function ShareButtons({ path, name }: { readonly path: string; readonly name: string }) {
  const withText = async (use: (text: string) => void | Promise<void>): Promise<void> => {
    try {
      const view = await api.get('/api/files', { query: { path, from: 1, count: maxLines } })
      if (view.kind !== 'text') return
      await use(view.text)
      if (view.cut || view.lines > maxLines) toast(words.files.copiedSome(view.text.split('\n').length))
    } catch (error) {
      // Closing the share sheet is not an error.
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
