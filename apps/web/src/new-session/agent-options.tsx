import type { AgentInfo } from '@remora/protocol/api'
import { findMode, isSelfApproving } from '@remora/protocol/plain'
import { useState } from 'react'
import { getModeHint } from '../ui/mode-name.tsx'
import { DownIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { type Choices, startChannels } from './choices.ts'
import { Choice, Field, fieldStyle } from './form-field.tsx'

export interface AgentOptionsProps {
  readonly agent: AgentInfo
  readonly choices: Choices
  readonly onChange: (change: Partial<Choices>) => void
}

const usual = { value: '', label: words.newSession.usual }
const other = '\u0000other'

/** Model, permissions and effort, as far as the agent supports them. */
export function AgentOptions({ agent, choices, onChange }: AgentOptionsProps) {
  const isListed = choices.model === '' || agent.models.some(({ id }) => id === choices.model)
  const [isOther, setOther] = useState(!isListed)
  const channels = startChannels(agent)
  const modes = agent.permissionModes
  const mode = findMode(modes, choices.mode)
  return (
    <>
      <div className="grid grid-cols-1 gap-3 min-[480px]:grid-cols-2">
        {modes.length > 0 && (
          <Choice
            label={words.newSession.mode}
            value={mode?.id ?? ''}
            options={[usual, ...modes.map(({ id, label }) => ({ value: id, label }))]}
            onChange={(mode) => onChange({ mode })}
          />
        )}
        <Choice
          label={words.newSession.model}
          value={isOther ? other : choices.model}
          options={[
            usual,
            ...agent.models.map(({ id, name }) => ({ value: id, label: name })),
            { value: other, label: words.newSession.otherModel },
          ]}
          onChange={(model) => {
            setOther(model === other)
            onChange({ model: model === other ? '' : model })
          }}
        />
        {isOther && (
          <Field label={words.newSession.otherModelName}>
            <input
              value={choices.model}
              onChange={({ target }) => onChange({ model: target.value })}
              autoCapitalize="none"
              spellCheck={false}
              maxLength={200}
              className={`${fieldStyle} font-mono`}
            />
          </Field>
        )}
        {agent.effort.length > 0 && (
          <Choice
            label={words.newSession.effort}
            value={choices.effort}
            options={[
              usual,
              ...agent.effort.map((level) => ({
                value: level,
                label: words.newSession.efforts[level] ?? level,
              })),
            ]}
            onChange={(effort) => onChange({ effort })}
          />
        )}
      </div>
      {mode && isSelfApproving(mode) ? (
        <p role="note" className="rounded-xl bg-warn-soft p-3 text-sm text-warn">
          {getModeHint(mode)}
        </p>
      ) : (
        mode && <p className="text-sm text-dim">{getModeHint(mode)}</p>
      )}
      {channels.length > 1 && (
        <details className="group rounded-xl" open={choices.channel !== ''}>
          <summary className="flex min-h-11 list-none items-center gap-1.5 text-sm font-semibold text-dim">
            <DownIcon className="size-4 -rotate-90 transition group-open:rotate-0" />
            {words.newSession.options}
          </summary>
          <Choice
            label={words.newSession.channel}
            value={choices.channel}
            options={[
              usual,
              ...channels.map((channel) => ({
                value: channel,
                label: words.newSession.channels[channel] ?? channel,
              })),
            ]}
            onChange={(channel) => onChange({ channel })}
          />
        </details>
      )}
    </>
  )
}
