import type { ReactNode } from 'react'

/** A titled group of settings. */
export function Group({
  title,
  hint,
  children,
}: {
  readonly title?: string
  readonly hint?: string | undefined
  readonly children: ReactNode
}) {
  return (
    <section className="flex flex-col gap-2">
      {title && <h2 className="px-1 text-sm font-semibold text-dim">{title}</h2>}
      <div className="flex flex-col overflow-hidden rounded-card border border-line bg-raised">
        {children}
      </div>
      {hint && <p className="px-1 text-sm text-dim">{hint}</p>}
    </section>
  )
}
