import { useState } from 'react'
import { chooseTextSize, chooseTheme, readTextSize, readTheme } from '../browser/theme.ts'
import { words } from '../words/index.ts'
import { Group } from './group.tsx'

/** The appearance on this device. */
export function AppearancePage() {
  const [theme, setTheme] = useState(readTheme)
  const [size, setSize] = useState(readTextSize)
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
  return (
    <>
      <Group>
        <ChoiceRow
          label={words.settings.theme}
          choices={words.settings.themes}
          chosen={theme}
          onChoose={(choice) => {
            chooseTheme(choice)
            setTheme(choice)
          }}
        />
      </Group>
      <Group>
        <ChoiceRow
          label={words.settings.textSize}
          choices={words.settings.textSizes}
          chosen={size}
          onChoose={(choice) => {
            chooseTextSize(choice)
            setSize(choice)
          }}
        />
        <p className="border-t border-line px-4 py-3">{words.settings.sample}</p>
      </Group>
      <Group title={words.settings.motion}>
        <p className="p-4">{isStill ? words.settings.motionReduced : words.settings.motionFull}</p>
      </Group>
    </>
  )
}

interface ChoiceRowProps<T extends string> {
  readonly label: string
  readonly choices: Readonly<Record<T, string>>
  readonly chosen: T
  readonly onChoose: (choice: T) => void
}

/** A choice of a few values, side by side. */
function ChoiceRow<T extends string>({ label, choices, chosen, onChoose }: ChoiceRowProps<T>) {
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
