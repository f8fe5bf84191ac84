import type { ReactNode } from 'react'

/** The style of all input fields. */
export const fieldStyle =
  'min-h-12 w-full min-w-0 rounded-xl border border-line bg-raised px-3.5 outline-none focus:border-accent'

/** A labelled field. */
export function Field({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <label className="flex min-w-0 flex-1 flex-col gap-1.5">
      <span className="text-sm font-semibold text-dim">{label}</span>
      {children}
    </label>
  )
}

export interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly onChange: (value: string) => void
}

/** A native select, which works best on phones. */
export function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <Field label={label}>
      <span className="relative block">
        <select
          value={options.some((option) => option.value === value) ? value : ''}
          onChange={({ target }) => onChange(target.value)}
          className={`${fieldStyle} appearance-none pr-9 text-ellipsis`}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
        <svg
          viewBox="0 0 24 24"
          aria-hidden="true"
          className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-faint"
          fill="none"
          stroke="currentColor"
          strokeWidth={2}
        >
          <path d="M6 9l6 6 6-6" strokeLinecap="round" strokeLinejoin="round" />
        </svg>
      </span>
    </Field>
  )
}
