import { type ReactNode, useEffect, useId, useRef } from 'react'
import { words } from '../words/index.ts'
import { IconButton } from './button.tsx'
import { CloseIcon } from './icons.tsx'

export interface SheetProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  /** Stays below the scrolling content. */
  readonly footer?: ReactNode
}

/** A sheet from the bottom; a dialog in the middle on a wide screen. Escape or a tap outside closes it. */
export function Sheet({ title, onClose, children, footer }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose()
      }}
      className="m-0 mt-auto flex max-h-[88dvh] w-full max-w-none animate-[rise_160ms_ease-out] flex-col overflow-hidden sides-safe rounded-t-2xl bg-raised text-ink backdrop:bg-shade lg:m-auto lg:max-w-xl lg:rounded-2xl"
    >
      <header className="flex items-center gap-2 border-b border-line py-1 pr-1 pl-4">
        <h2 id={titleId} className="min-w-0 flex-1 truncate font-semibold">
          {title}
        </h2>
        <IconButton label={words.app.close} onClick={onClose}>
          <CloseIcon />
        </IconButton>
      </header>
      <div
        className={`min-h-0 flex-1 overflow-y-auto overscroll-contain p-4 ${footer ? '' : 'pb-[max(env(safe-area-inset-bottom),1rem)]'}`}
      >
        {children}
      </div>
      {footer && <footer className="pb-safe border-t border-line px-4 pt-3">{footer}</footer>}
    </dialog>
  )
}
