import type { InsightsSummary } from '@remora/protocol/api'
import { useAgentNames } from '../state/agents.ts'
import { DownIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { spans, useFilters } from './filters.ts'
import { projectName } from './format.ts'

/** Filters by agent, project and time. */
export function FilterBar({ choices }: { readonly choices: InsightsSummary['choices'] | undefined }) {
  const getAgentName = useAgentNames()
  const { agent, project, days } = useFilters()
  const agents = withChosen(choices?.agents ?? [], agent)
  const projects = withChosen(choices?.projects ?? [], project)
  return (
    <div
      role="group"
      aria-label={words.insights.filters}
      className="grid grid-cols-[auto_minmax(0,1fr)_minmax(0,1.12fr)] gap-1.5 sm:flex sm:gap-2"
    >
      <Choice
        label={words.insights.since}
        value={String(days)}
        options={spans.map((span) => ({
          value: String(span),
          name: span === 0 ? words.insights.sinceAll : words.insights.sinceDays(span),
        }))}
        onChoose={(value) => useFilters.setState({ days: Number(value) })}
      />
      <Choice
        label={words.insights.agent}
        value={agent}
        options={[
          { value: '', name: words.insights.allAgents },
          ...agents.map((each) => ({ value: each, name: getAgentName(each) })),
        ]}
        onChoose={(value) => useFilters.setState({ agent: value })}
      />
      <Choice
        label={words.insights.project}
        value={project}
        options={[
          { value: '', name: words.insights.allProjects },
          ...projects.map((each) => ({ value: each, name: projectName(each) })),
        ]}
        onChoose={(value) => useFilters.setState({ project: value })}
      />
    </div>
  )
}

/** A stored filter stays available even if it no longer matches. */
function withChosen(all: readonly string[], chosen: string): readonly string[] {
  return chosen === '' || all.includes(chosen) ? all : [...all, chosen]
}

function Choice({
  label,
  value,
  options,
  onChoose,
}: {
  readonly label: string
  readonly value: string
  readonly options: readonly { readonly value: string; readonly name: string }[]
  readonly onChoose: (value: string) => void
}) {
  return (
    <span className="relative block min-w-0 sm:max-w-56">
      <select
        aria-label={label}
        value={value}
        onChange={({ target }) => onChoose(target.value)}
        className="min-h-11 w-full min-w-0 appearance-none truncate rounded-xl border border-line bg-raised pr-6 pl-2.5"
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.name}
          </option>
        ))}
      </select>
      <DownIcon className="pointer-events-none absolute top-1/2 right-1.5 size-4 -translate-y-1/2 text-faint" />
    </span>
  )
}
