import { useLayoutEffect, useRef } from 'react'
import { closeToast, useToasts } from '../state/toasts.ts'
import { words } from '../words/index.ts'
import { Button, IconButton } from './button.tsx'
import { CloseIcon } from './icons.tsx'

export function Toasts() {
  const { toasts } = useToasts()
  const place = useRef<HTMLDivElement>(null)
  // Shown above dialogs that opened before.
  useLayoutEffect(() => {
    const element = place.current
    if (toasts.length === 0 || !element?.showPopover) return
    element.hidePopover()
    element.showPopover()
  }, [toasts])
  return (
    <div
      ref={place}
      popover="manual"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-0 top-0 z-50 m-0 w-full flex-col bg-transparent open:flex items-center gap-2 px-4 pt-[max(env(safe-area-inset-top),0.75rem)]"
    >
      {toasts.map(({ id, text, hint, kind, action }) => (
        <div
          key={id}
          className={`pointer-events-auto flex w-full max-w-md items-center gap-2 rounded-card border bg-raised py-1 pr-1 pl-4 shadow-lg ${kind === 'bad' ? 'border-bad' : 'border-line'}`}
        >
          <div className="min-w-0 flex-1 py-1.5">
            <p className="break-words">{text}</p>
            {hint && <p className="text-sm break-words text-dim">{hint}</p>}
          </div>
          {action && (
            <Button
              variant="primary"
              onClick={() => {
                closeToast(id)
                action.run()
              }}
            >
              {action.label}
            </Button>
          )}
          <IconButton label={words.app.close} onClick={() => closeToast(id)}>
            <CloseIcon />
          </IconButton>
        </div>
      ))}
    </div>
  )
}
