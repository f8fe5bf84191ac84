import { words } from '../words/index.ts'

/** Expands a folded text. */
export function ShowAll({ lines, onShow }: { readonly lines: number; readonly onShow: () => void }) {
  return (
    <button
      type="button"
      onClick={onShow}
      className="flex min-h-11 w-full items-center justify-center border-t border-line px-3 text-sm font-medium text-accent hover:bg-sunken"
    >
      {words.message.showAll(lines)}
    </button>
  )
}
