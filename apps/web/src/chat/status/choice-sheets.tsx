import type { LiveInfo } from '@remora/protocol'
import { getModeName } from '@remora/protocol/plain'
import { useAgent } from '../../state/agents.ts'
import { Busy } from '../../ui/busy.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { words } from '../../words/index.ts'
import { getModeHint, useModes } from '../../ui/mode-name.tsx'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { CheckIcon } from '../../ui/icons.tsx'

/** Chooses the permission mode. */
export function ModeSheet({
  live,
  onChoose,
  onClose,
}: {
  readonly live: LiveInfo
  readonly onChoose: (mode: string) => void
  readonly onClose: () => void
}) {
  const agent = useAgent(live.agent)
  const modes = useModes(live) ?? []
  return (
    <Sheet title={words.status.modeTitle} onClose={onClose}>
      {agent === undefined && live.modes === undefined ? (
        <Busy />
      ) : modes.length < 2 ? (
        <p className="text-dim">{words.status.noModes}</p>
      ) : (
        <ChoiceList
          label={words.status.modeTitle}
          current={live.mode}
          onChoose={onChoose}
          choices={modes.map((mode) => ({
            id: getModeName(modes, mode),
            name: mode.label,
            hint: getModeHint(mode),
          }))}
        />
      )}
    </Sheet>
  )
}

/** The models of the agent, and a field for any other. */
export function ModelSheet({
  live,
  onChoose,
  onClose,
}: {
  readonly live: LiveInfo
  readonly onChoose: (model: string) => void
  readonly onClose: () => void
}) {
  const agent = useAgent(live.agent)
  const [other, setOther] = useState('')
  const id = useId()
  const models = agent?.models ?? []
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (other.trim() !== '') onChoose(other.trim())
  }
  return (
    <Sheet title={words.status.modelTitle} onClose={onClose}>
      <ChoiceList
        label={words.status.modelTitle}
        current={models.find((model) => isIt(model, live.model))?.id}
        onChoose={onChoose}
        choices={models.map((model) => ({
          id: model.id,
          name: model.name,
          hint: isSameName(model.name, model.id) ? undefined : model.id,
        }))}
      />
      <form onSubmit={submit} className="flex items-end gap-2 pt-4">
        <div className="min-w-0 flex-1">
          <label htmlFor={id} className="block pb-1 text-sm text-dim">
            {words.status.otherModel}
          </label>
          <input
            id={id}
            value={other}
            onChange={({ target }) => setOther(target.value)}
            maxLength={200}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            className="min-h-11 w-full rounded-xl border border-line bg-paper px-3"
          />
        </div>
        <Button type="submit" variant="primary" disabled={other.trim() === ''}>
          {words.status.use}
        </Button>
      </form>
      {live.state === 'working' && <p className="pt-3 text-sm text-dim">{words.status.modelWhenIdle}</p>}
    </Sheet>
  )
}

function isIt(
  { id, name, aliases = [] }: { id: string; name: string; aliases?: string[] | undefined },
  model: string | undefined,
): boolean {
  return (
    model !== undefined && [id, name, ...aliases].some((each) => each.toLowerCase() === model.toLowerCase())
  )
}

/** Whether a name repeats the id: `Flash Lite` and `flash-lite`. */
function isSameName(name: string, id: string): boolean {
  return name.toLowerCase().replaceAll(' ', '-') === id.toLowerCase()
}

interface Choice {
  readonly id: string
  readonly name: string
  readonly hint?: string | undefined
}

/** A list with the current choice marked. */
function ChoiceList({
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
