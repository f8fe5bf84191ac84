import { CheckIcon } from './icons.tsx'

export interface Choice {
  readonly id: string
  readonly name: string
  readonly hint?: string | undefined
}

/** A list with the current choice marked. */
export function ChoiceList({
  label,
  choices,
  current,
  onChoose,
}: {
  readonly label: string
  readonly choices: readonly Choice[]
  readonly current: string | undefined
  readonly onChoose: (id: string) => void
}) {
  return (
    <ul aria-label={label} className="-mx-2 flex flex-col gap-1">
      {choices.map(({ id, name, hint }) => {
        const isIt = id === current
        return (
          <li key={id}>
            <button
              type="button"
              aria-current={isIt}
              onClick={() => onChoose(id)}
              className={`flex min-h-12 w-full items-center gap-3 rounded-xl px-3 py-2 text-left ${isIt ? 'bg-accent-soft' : 'hover:bg-sunken'}`}
            >
              <span className="min-w-0 flex-1">
                <span className="block font-medium break-words">{name}</span>
                {hint && <span className="block text-sm break-words text-dim">{hint}</span>}
              </span>
              {isIt && <CheckIcon className="size-5 shrink-0 text-accent" />}
            </button>
          </li>
        )
      })}
    </ul>
  )
}
