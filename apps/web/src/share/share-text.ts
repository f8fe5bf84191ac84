import { mask } from '@remora/protocol/plain'
import { copy } from '../browser/copy.ts'
import { toast, toastError } from '../state/toasts.ts'
import { words } from '../words/index.ts'

/** Shares a text with known secrets masked, or copies it where the browser cannot share. */
export function shareText(unmasked: string): void {
  const text = mask(unmasked)
  if (typeof navigator.share === 'function') navigator.share({ text }).catch(reportShareError)
  else copy(text)
}

/** Shares a Markdown file with known secrets masked, or downloads it where the browser cannot share files. */
export async function shareFile(name: string, unmasked: string): Promise<void> {
  const text = mask(unmasked)
  const file = new File([text], `${toFileName(name)}.md`, { type: 'text/markdown' })
  const sharing = navigator as Partial<Pick<Navigator, 'share' | 'canShare'>>
  try {
    if (sharing.share && sharing.canShare?.({ files: [file] }) === true)
      return await sharing.share({ files: [file], title: name })
    if (sharing.share && matchMedia('(pointer: coarse)').matches)
      return await sharing.share({ title: name, text })
  } catch (error) {
    reportShareError(error)
    return
  }
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = file.name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
  toast(words.header.saved(file.name))
}

/** Closing the share sheet of the system is not an error. */
function reportShareError(error: unknown): void {
  const name = error instanceof DOMException ? error.name : ''
  if (name === 'NotAllowedError') toast(words.app.failed, { kind: 'bad' })
  else if (name !== 'AbortError') toastError(error)
}

function toFileName(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
  return plain.slice(0, 60) || 'conversation'
}
