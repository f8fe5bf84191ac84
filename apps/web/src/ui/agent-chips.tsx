import type { ReactNode } from 'react'
import { AgentMark, getAgentName } from './agent-mark.tsx'
import { classNames } from './class-names.ts'
import { words } from '../words/index.ts'

export interface AgentChipsProps {
  readonly agents: readonly string[]
  readonly chosen: string | undefined
  readonly onChoose: (agent: string | undefined) => void
}

/** Filters by agent. Hidden with a single agent. */
export function AgentChips({ agents, chosen, onChoose }: AgentChipsProps) {
  if (agents.length < 2 && chosen === undefined) return null
  return (
    <div
      role="group"
      aria-label={words.sessions.filter}
      className="flex gap-2 overflow-x-auto px-4 py-1.5 [scrollbar-width:none]"
    >
      <Chip isOn={chosen === undefined} onClick={() => onChoose(undefined)}>
        {words.sessions.allAgents}
      </Chip>
      {agents.map((agent) => (
        <Chip
          key={agent}
          isOn={chosen === agent}
          onClick={() => onChoose(chosen === agent ? undefined : agent)}
        >
          <AgentMark agent={agent} className="-ml-1.5 size-6 rounded-md" />
          {getAgentName(agent).slice(0, 40)}
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

/** A filter button. */
export function Chip({ isOn, onClick, children }: ChipProps) {
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
