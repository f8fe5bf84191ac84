import type { ReactNode } from 'react'

/** An entry of a menu. */
export function MenuItem({
  label,
  hint,
  icon,
  isBad = false,
  disabled = false,
  onClick,
}: {
  readonly label: string
  readonly hint?: string | undefined
  readonly icon: ReactNode
  readonly isBad?: boolean
  readonly disabled?: boolean
  readonly onClick: () => void
}) {
  return (
    <li>
      <button
        type="button"
        onClick={onClick}
        disabled={disabled}
        className={`flex min-h-12 w-full items-center gap-4 rounded-xl px-3 py-2 text-left hover:bg-sunken disabled:opacity-45 ${isBad ? 'text-bad' : ''}`}
      >
        <span className={`shrink-0 ${isBad ? '' : 'text-dim'}`}>{icon}</span>
        <span className="min-w-0 flex-1">
          <span className="block">{label}</span>
          {hint && <span className="block text-sm break-words text-dim">{hint}</span>}
        </span>
      </button>
    </li>
  )
}
