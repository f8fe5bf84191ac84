/** One after the other. */
export function Steps({ steps }: { readonly steps: readonly string[] }) {
  return (
    <ol className="flex flex-col gap-3">
      {steps.map((step, index) => (
        <li key={step} className="flex gap-3">
          <span
            aria-hidden="true"
            className="flex size-7 shrink-0 items-center justify-center rounded-full bg-accent-soft text-sm font-semibold text-accent"
          >
            {index + 1}
          </span>
          <span className="min-w-0 flex-1 pt-0.5">{step}</span>
        </li>
      ))}
    </ol>
  )
}
