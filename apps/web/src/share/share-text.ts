import { mask } from '@remora/protocol/plain'
import { toast, toastError } from '../state/toasts.ts'
import { words } from '../words/index.ts'

/** Hands a text on by the device's own means, without secrets of known shape; where it has none, it is saved as a file. */
export async function shareText(name: string, told: string): Promise<void> {
  const text = mask(told)
  const file = new File([text], `${fileName(name)}.md`, { type: 'text/markdown' })
  const sharing = navigator as Partial<Pick<Navigator, 'share' | 'canShare'>>
  try {
    if (sharing.share && sharing.canShare?.({ files: [file] }) === true)
      return await sharing.share({ files: [file], title: name })
    if (sharing.share && matchMedia('(pointer: coarse)').matches)
      return await sharing.share({ title: name, text })
  } catch (error) {
    // Somebody has thought better of it.
    if ((error as Error).name !== 'AbortError') toastError(error)
    return
  }
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = file.name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
  toast(words.header.saved(file.name))
}

function fileName(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
  return plain.slice(0, 60) || 'conversation'
}
