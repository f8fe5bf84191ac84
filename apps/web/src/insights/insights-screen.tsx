import { Link, useParams } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { ScreenHeader } from '../ui/screen-header.tsx'
import { api } from '../wire/api.ts'
import { words } from '../words/index.ts'
import { FailuresView } from './failures-view.tsx'
import { FilterBar } from './filter-bar.tsx'
import { toQuery, useFilters } from './filters.ts'
import { PathScreen } from './path-screen.tsx'
import { UsageView } from './usage-view.tsx'
import { type Load, useAnswer } from './use-answer.ts'

const loadSummary: Load<'/api/insights/summary'> = (query, signal) =>
  api.get('/api/insights/summary', { query, signal })

/** Failed tool calls and token usage. */
export function InsightsScreen() {
  const { '*': part = '' } = useParams()
  const path = /^path\/([^/]+)$/.exec(part)?.[1]
  if (path !== undefined) return <PathScreen key={path} id={path} />
  return <Overview isUsage={part === 'usage'} />
}

const sections = [
  { to: routes.insights, label: words.insights.failures, isUsage: false },
  { to: `${routes.insights}/usage`, label: words.insights.usage, isUsage: true },
]

function Overview({ isUsage }: { readonly isUsage: boolean }) {
  const filters = useFilters()
  const summary = useAnswer(loadSummary, toQuery(filters))
  return (
    <>
      <ScreenHeader title={words.app.insights} back={routes.sessions} />
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
        <div className="pb-safe mx-auto flex max-w-4xl flex-col gap-4 px-4 pt-4">
          <nav aria-label={words.insights.sections} className="flex gap-1 rounded-xl bg-sunken p-1">
            {sections.map(({ to, label, isUsage: its }) => (
              <Link
                key={to}
                href={to}
                aria-current={its === isUsage ? 'page' : undefined}
                className={`flex min-h-11 flex-1 items-center justify-center rounded-lg font-medium ${its === isUsage ? 'bg-raised text-ink shadow-sm' : 'text-dim'}`}
              >
                {label}
              </Link>
            ))}
          </nav>
          <FilterBar choices={summary.data?.choices} />
          {isUsage ? <UsageView /> : <FailuresView summary={summary} />}
        </div>
      </div>
    </>
  )
}
