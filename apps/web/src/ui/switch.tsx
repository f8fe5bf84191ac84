import { useId } from 'react'

export interface SwitchProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly disabled?: boolean
}

/** A switch. @example <Switch label={words.sessions.viewHidden} checked={hidden} onChange={setHidden} /> */
export function Switch({ label, hint, checked, onChange, disabled = false }: SwitchProps) {
  const hintId = useId()
  return (
    <label className="flex min-h-13 cursor-pointer items-center gap-3 py-1.5">
      <span className="min-w-0 flex-1">
        <span className="block font-medium">{label}</span>
        {hint && (
          <span id={hintId} className="block text-sm text-dim">
            {hint}
          </span>
        )}
      </span>
      <span className="relative inline-flex shrink-0">
        <input
          type="checkbox"
          role="switch"
          checked={checked}
          disabled={disabled}
          aria-describedby={hint ? hintId : undefined}
          onChange={({ target }) => onChange(target.checked)}
          className="peer absolute inset-0 size-full cursor-pointer appearance-none rounded-full"
        />
        <span
          aria-hidden="true"
          className="pointer-events-none h-7 w-12 rounded-full border border-faint bg-sunken transition peer-checked:border-accent peer-checked:bg-accent peer-disabled:opacity-45"
        />
        <span
          aria-hidden="true"
          className="pointer-events-none absolute top-1 left-1 size-5 rounded-full bg-faint transition peer-checked:translate-x-5 peer-checked:bg-on-accent"
        />
      </span>
    </label>
  )
}
