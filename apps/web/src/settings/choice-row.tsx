export interface ChoiceRowProps<T extends string> {
  readonly label: string
  readonly choices: Readonly<Record<T, string>>
  readonly chosen: T
  readonly onChoose: (choice: T) => void
}

/** One of a few, side by side. */
export function ChoiceRow<T extends string>({ label, choices, chosen, onChoose }: ChoiceRowProps<T>) {
  return (
    <fieldset className="flex flex-col gap-2 p-4">
      <legend className="float-left pb-2 font-medium">{label}</legend>
      <div className="grid grid-cols-3 gap-2">
        {(Object.entries(choices) as [T, string][]).map(([choice, name]) => (
          <label key={choice} className="relative flex cursor-pointer">
            <input
              type="radio"
              name={label}
              checked={choice === chosen}
              onChange={() => onChoose(choice)}
              className="peer absolute inset-0 opacity-0"
            />
            <span className="flex min-h-12 flex-1 items-center justify-center rounded-xl border border-line px-2 text-center text-sm peer-checked:border-accent peer-checked:bg-accent-soft peer-checked:font-semibold peer-checked:text-accent peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-accent">
              {name}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
