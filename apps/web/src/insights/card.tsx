import { type ReactNode, useId } from 'react'

/** A titled section. */
export function Card({
  title,
  hint,
  children,
}: {
  readonly title: string
  readonly hint?: string
  readonly children: ReactNode
}) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="min-w-0 rounded-card border border-line bg-raised p-4">
      <h2 id={id} className="font-semibold">
        {title}
      </h2>
      {hint && <p className="mb-2 text-sm text-dim">{hint}</p>}
      {children}
    </section>
  )
}

/** Numbers beside each other. */
export function Tiles({
  tiles,
}: {
  readonly tiles: readonly { readonly name: string; readonly value: string }[]
}) {
  return (
    <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
      {tiles.map(({ name, value }) => (
        <div
          key={name}
          className="flex min-w-0 flex-col-reverse rounded-card border border-line bg-raised px-4 py-3"
        >
          <dt className="truncate text-sm text-dim">{name}</dt>
          <dd className="truncate text-2xl font-semibold tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
