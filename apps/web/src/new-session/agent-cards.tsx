import type { AgentInfo } from '@remora/protocol/api'
import { toAgentName } from '../state/agents.ts'
import { AgentMark } from '../ui/agent-mark.tsx'
import { classNames } from '../ui/class-names.ts'
import { CheckIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'

export interface AgentCardsProps {
  readonly agents: readonly AgentInfo[]
  readonly chosen: string | undefined
  readonly onChoose: (agent: string) => void
}

/** Chooses the agent, and shows its problem below. */
export function AgentCards({ agents, chosen, onChoose }: AgentCardsProps) {
  const agent = agents.find(({ id }) => id === chosen)
  return (
    <fieldset>
      <legend className="mb-2 text-sm font-semibold text-dim">{words.newSession.agent}</legend>
      <div className="grid grid-cols-2 gap-2 sm:grid-cols-4">
        {agents.map((each) => (
          <Card key={each.id} agent={each} isChosen={each.id === chosen} onChoose={() => onChoose(each.id)} />
        ))}
      </div>
      {agent?.problems.map(({ code, message, hint }) => (
        <div
          key={code}
          role="note"
          className={classNames(
            'mt-2 rounded-xl p-3 text-sm',
            agent.installed ? 'bg-warn-soft' : 'bg-sunken',
          )}
        >
          <p className="font-medium break-words">{message}</p>
          <p className="break-words text-dim select-text">{hint}</p>
        </div>
      ))}
    </fieldset>
  )
}

interface CardProps {
  readonly agent: AgentInfo
  readonly isChosen: boolean
  readonly onChoose: () => void
}

function Card({ agent, isChosen, onChoose }: CardProps) {
  const { id, installed, version, problems } = agent
  const name = toAgentName(agent, id).slice(0, 40)
  const note = !installed
    ? words.newSession.notInstalled
    : problems.length > 0
      ? words.newSession.hasProblem
      : version
  return (
    <label
      className={classNames(
        'relative flex min-h-16 cursor-pointer items-center gap-2.5 rounded-card border p-2.5 transition has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
        isChosen ? 'border-accent bg-accent-soft' : 'border-line bg-raised hover:bg-sunken',
      )}
    >
      <input
        type="radio"
        name="agent"
        value={id}
        checked={isChosen}
        onChange={onChoose}
        className="absolute inset-0 size-full cursor-pointer appearance-none outline-none"
      />
      <AgentMark agent={id} className={classNames('size-9', !installed && 'opacity-60 grayscale')} />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{name}</span>
        {note && <span className="block truncate text-xs text-dim">{note}</span>}
      </span>
      {isChosen && <CheckIcon className="absolute top-1.5 right-1.5 size-4 text-accent" />}
    </label>
  )
}
