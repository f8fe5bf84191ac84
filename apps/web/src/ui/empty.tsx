import type { ReactNode } from 'react'
import { Link } from 'wouter'

/** An empty screen with a hint and an action. */
export function Empty({
  title,
  hint,
  children,
}: {
  readonly title: string
  readonly hint?: string
  readonly children?: ReactNode
}) {
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-3 p-8 text-center">
      <h2 className="text-lg font-semibold">{title}</h2>
      {hint && <p className="max-w-sm text-dim">{hint}</p>}
      {children}
    </div>
  )
}

/** A link on an empty screen. @example <EmptyLink to={routes.newSession}>{words.app.newSession}</EmptyLink> */
export function EmptyLink({ to, children }: { readonly to: string; readonly children: string }) {
  return (
    <Link
      href={to}
      className="flex min-h-11 items-center rounded-xl border border-line bg-raised px-4 font-medium hover:bg-sunken"
    >
      {children}
    </Link>
  )
}
