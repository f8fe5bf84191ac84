import { useState } from 'react'
import { chooseTextSize, chooseTheme, chosenTextSize, chosenTheme } from '../browser/theme.ts'
import { words } from '../words/index.ts'
import { ChoiceRow } from './choice-row.tsx'
import { Group } from './group.tsx'

/** How the app looks on this device. */
export function AppearancePage() {
  const [theme, setTheme] = useState(chosenTheme)
  const [size, setSize] = useState(chosenTextSize)
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
