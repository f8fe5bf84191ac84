export interface SwitchRowProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly isOn: boolean
  readonly disabled?: boolean
  readonly onChange: (isOn: boolean) => void
}

/** On or off, as wide as the screen. */
export function SwitchRow({ label, hint, isOn, disabled, onChange }: SwitchRowProps) {
  return (
    <label className="flex min-h-14 cursor-pointer items-center gap-4 border-b border-line px-4 py-2 last:border-b-0">
      <span className="min-w-0 flex-1">
        <span className="block font-medium">{label}</span>
        {hint && <span className="block text-sm text-dim">{hint}</span>}
      </span>
      <input
        type="checkbox"
        role="switch"
        checked={isOn}
        disabled={disabled}
        onChange={({ target }) => onChange(target.checked)}
        className="peer sr-only"
      />
      <span
        aria-hidden="true"
        className="relative h-7 w-12 shrink-0 rounded-full border border-faint bg-sunken transition-colors peer-checked:border-accent peer-checked:bg-accent peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-accent peer-disabled:opacity-45 after:absolute after:top-0.5 after:left-0.5 after:size-5.5 after:rounded-full after:bg-raised after:shadow after:transition-transform peer-checked:after:translate-x-5"
      />
    </label>
  )
}
