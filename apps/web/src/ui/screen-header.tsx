import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { words } from '../words/index.ts'
import { BackIcon } from './icons.tsx'

export interface ScreenHeaderProps {
  readonly title: ReactNode
  /** The target of the back button; undefined on the first screen. */
  readonly back?: string
  readonly children?: ReactNode
}

/** The header of a screen. Not a `header` element, because two screens may be side by side and a page has one banner. */
export function ScreenHeader({ title, back, children }: ScreenHeaderProps) {
  return (
    <div className="pt-safe border-b border-line bg-raised">
      <div className="flex min-h-13 items-center gap-1 pr-2 pl-1">
        {back === undefined ? (
          <span className="w-3" />
        ) : (
          <Link
            href={back}
            aria-label={words.app.back}
            // Hidden where the list is beside the screen.
            className={`flex size-11 items-center justify-center rounded-xl text-dim hover:bg-sunken ${back === '/' ? 'lg:hidden' : ''}`}
          >
            <BackIcon />
          </Link>
        )}
        {back === '/' && <span className="hidden w-3 lg:block" />}
        <h1 className="min-w-0 flex-1 truncate font-semibold">{title}</h1>
        {children}
      </div>
    </div>
  )
}
