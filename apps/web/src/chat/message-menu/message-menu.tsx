import { Suspense, lazy } from 'react'
import { MoreIcon } from '../../ui/icons.tsx'
import { classNames } from '../../ui/class-names.ts'
import { words } from '../../words/index.ts'
import { type MenuTarget, openMessageMenu, useMessageMenu } from './message-menu-store.ts'

const MenuSheet = lazy(() =>
  import('./message-menu-sheet.tsx').then(({ MessageMenuSheet }) => ({ default: MessageMenuSheet })),
)

/** Renders the menu of the selected message, once per conversation. */
export function MessageMenuHost() {
  const target = useMessageMenu((state) => state.target)
  if (!target) return null
  return (
    <Suspense fallback={null}>
      <MenuSheet key={target.message.id} {...target} />
    </Suspense>
  )
}

const floating =
  'pointer-fine:not-sr-only pointer-fine:absolute pointer-fine:-top-4 pointer-fine:right-2 pointer-fine:m-0 pointer-fine:size-7 pointer-fine:rounded-lg pointer-fine:border pointer-fine:border-line pointer-fine:bg-raised'

/**
 * With a mouse the button appears on hover or focus and takes no space. On touch screens it is beside user
 * messages and below the last agent message. Other messages show it only on keyboard focus, because a long press
 * opens the same menu.
 */
export function MenuButton({
  target,
  place,
}: {
  readonly target: MenuTarget
  readonly place: 'beside' | 'below' | 'hidden'
}) {
  return (
    <button
      type="button"
      aria-label={words.message.menu}
      aria-haspopup="dialog"
      onClick={() => openMessageMenu(target)}
      className={classNames(
        'flex size-11 shrink-0 items-center justify-center rounded-xl text-faint hover:text-ink',
        'pointer-fine:opacity-0 pointer-fine:group-hover/message:opacity-100 pointer-fine:focus-visible:opacity-100',
        place === 'beside' && 'self-center',
        place === 'below' && `-mt-2 -mb-4 -ml-3 ${floating}`,
        place === 'hidden' && `sr-only focus-visible:not-sr-only ${floating}`,
      )}
    >
      <MoreIcon className="size-5" />
    </button>
  )
}
