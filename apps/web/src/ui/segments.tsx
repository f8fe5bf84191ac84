import { classNames } from './class-names.ts'

export interface SegmentsProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly choices: readonly { readonly value: T; readonly label: string }[]
  readonly onChoose: (value: T) => void
}

/** A choice of a few values, all visible. @example <Segments label={…} value={since} choices={…} onChoose={setSince} /> */
export function Segments<T extends string>({ label, value, choices, onChoose }: SegmentsProps<T>) {
  return (
    <div role="group" aria-label={label} className="flex rounded-xl bg-sunken p-0.5">
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChoose(choice.value)}
          className={classNames(
            'min-h-11 flex-1 rounded-[0.65rem] px-3 text-sm font-medium whitespace-nowrap',
            choice.value === value ? 'bg-raised text-ink shadow-sm' : 'text-dim hover:text-ink',
          )}
        >
          {choice.label}
        </button>
      ))}
    </div>
  )
}
