import type { ReactNode } from 'react'
import { words } from '../words/index.ts'
import { useAgentNames } from '../state/agents.ts'
import { AgentMark } from './agent-mark.tsx'
import { classNames } from './class-names.ts'

export interface AgentChipsProps {
  readonly agents: readonly string[]
  readonly chosen: string | undefined
  readonly onChoose: (agent: string | undefined) => void
}

/** Filters by agent. Hidden with a single agent. */
export function AgentChips({ agents, chosen, onChoose }: AgentChipsProps) {
  const getAgentName = useAgentNames()
  if (agents.length < 2 && chosen === undefined) return null
  const choices = agents.map((id) => ({
    id,
    content: (
      <>
        <AgentMark agent={id} className="-ml-1.5 size-6 rounded-md" />
        {getAgentName(id).slice(0, 40)}
      </>
    ),
  }))
  return (
    <Chips
      label={words.sessions.filter}
      all={words.sessions.allAgents}
      choices={choices}
      chosen={chosen}
      onChoose={onChoose}
    />
  )
}

export interface ChipsProps {
  readonly label: string
  /** The label of the first chip, which removes the filter. */
  readonly all: string
  readonly choices: readonly { readonly id: string; readonly content: ReactNode }[]
  readonly chosen: string | undefined
  readonly onChoose: (id: string | undefined) => void
}

/** Filter buttons, one of which is on. A second tap removes the filter. */
export function Chips({ label, all, choices, chosen, onChoose }: ChipsProps) {
  return (
    <div
      role="group"
      aria-label={label}
      className="flex gap-2 overflow-x-auto px-4 py-1.5 [scrollbar-width:none]"
    >
      <Chip isOn={chosen === undefined} onClick={() => onChoose(undefined)}>
        {all}
      </Chip>
      {choices.map(({ id, content }) => (
        <Chip key={id} isOn={chosen === id} onClick={() => onChoose(chosen === id ? undefined : id)}>
          {content}
        </Chip>
      ))}
    </div>
  )
}

interface ChipProps {
  readonly isOn: boolean
  readonly onClick: () => void
  readonly children: ReactNode
}

function Chip({ isOn, onClick, children }: ChipProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onClick}
      className="group flex min-h-11 shrink-0 items-center"
    >
      <span
        className={classNames(
          'flex h-9 items-center gap-1.5 rounded-full border px-3.5 text-sm font-medium transition',
          isOn
            ? 'border-transparent bg-ink text-paper'
            : 'border-line bg-raised text-dim group-hover:text-ink',
        )}
      >
        {children}
      </span>
    </button>
  )
}
