import type { AgentInfo } from '@remora/protocol/api'
import { useAgentNames } from '../state/agents.ts'
import { AgentMark } from '../ui/agent-mark.tsx'
import { DownIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'

export interface ChosenReviewer {
  readonly agent: string
  /** Empty for the default model. */
  readonly model: string
}

/** Chooses the reviewing agents and their models. */
export function ReviewerChoice({
  agents,
  chosen,
  onChange,
}: {
  readonly agents: readonly AgentInfo[]
  readonly chosen: readonly ChosenReviewer[]
  readonly onChange: (chosen: readonly ChosenReviewer[]) => void
}) {
  const getAgentName = useAgentNames()
  return (
    <fieldset>
      <legend className="font-medium">{words.review.reviewers}</legend>
      <p className="mb-2 text-sm text-dim">
        {agents.length === 0 ? words.review.noAgents : words.review.reviewersHint}
      </p>
      <ul className="flex flex-col gap-2">
        {agents.map((agent) => {
          const own = chosen.find((each) => each.agent === agent.id)
          return (
            <li
              key={agent.id}
              className={`flex flex-wrap items-center rounded-xl border ${own ? 'border-accent bg-accent-soft' : 'border-line'}`}
            >
              <label className="flex min-h-13 min-w-36 flex-1 cursor-pointer items-center gap-3 px-3">
                <input
                  type="checkbox"
                  checked={own !== undefined}
                  onChange={({ target }) =>
                    onChange(
                      target.checked
                        ? [...chosen, { agent: agent.id, model: '' }]
                        : chosen.filter((each) => each.agent !== agent.id),
                    )
                  }
                  className="size-5 accent-accent"
                />
                <AgentMark agent={agent.id} className="size-7" />
                <span className="min-w-0 truncate">{getAgentName(agent.id)}</span>
              </label>
              {own && agent.models.length > 0 && (
                <span className="relative m-1 block max-w-48 min-w-0">
                  <select
                    aria-label={words.review.model(getAgentName(agent.id))}
                    value={own.model}
                    onChange={({ target }) =>
                      onChange(chosen.map((each) => (each === own ? { ...own, model: target.value } : each)))
                    }
                    className="min-h-11 w-full min-w-0 appearance-none truncate rounded-lg border border-line bg-raised pr-8 pl-3"
                  >
                    <option value="">{words.review.usualModel}</option>
                    {agent.models.map(({ id, name }) => (
                      <option key={id} value={id}>
                        {name}
                      </option>
                    ))}
                  </select>
                  <DownIcon className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-faint" />
                </span>
              )}
            </li>
          )
        })}
      </ul>
    </fieldset>
  )
}
