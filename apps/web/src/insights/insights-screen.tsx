import { Link, useParams } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { ScreenHeader } from '../ui/screen-header.tsx'
import { api } from '../wire/api.ts'
import { words } from '../words/index.ts'
import { FailuresView } from './failures-view.tsx'
import { FilterBar } from './filter-bar.tsx'
import { toQuery, useFilters } from './filters.ts'
import { PathScreen } from './path-screen.tsx'
import { UnaskedView } from './unasked-view.tsx'
import { UsageView } from './usage-view.tsx'
import { type Load, useAnswer } from './use-answer.ts'

const loadSummary: Load<'/api/insights/summary'> = (query, signal) =>
  api.get('/api/insights/summary', { query, signal })

/** Failed tool calls, token usage, and calls that ran without an answer. */
export function InsightsScreen() {
  const { '*': part = '' } = useParams()
  const path = /^path\/([^/]+)$/.exec(part)?.[1]
  if (path !== undefined) return <PathScreen key={path} id={path} />
  return <Overview part={part === 'usage' || part === 'unasked' ? part : ''} />
}

const sections = [
  { part: '', label: words.insights.failures },
  { part: 'usage', label: words.insights.usage },
  { part: 'unasked', label: words.insights.unasked },
] as const

function Overview({ part }: { readonly part: (typeof sections)[number]['part'] }) {
  const filters = useFilters()
  const summary = useAnswer(loadSummary, toQuery(filters))
  return (
    <>
      <ScreenHeader title={words.app.insights} back={routes.sessions} />
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
        <div className="pb-safe mx-auto flex max-w-4xl flex-col gap-4 px-4 pt-4">
          <nav aria-label={words.insights.sections} className="flex gap-1 rounded-xl bg-sunken p-1">
            {sections.map(({ part: its, label }) => (
              <Link
                key={its}
                href={its === '' ? routes.insights : `${routes.insights}/${its}`}
                aria-current={its === part ? 'page' : undefined}
                className={`flex min-h-11 flex-1 items-center justify-center rounded-lg text-center font-medium ${its === part ? 'bg-raised text-ink shadow-sm' : 'text-dim'}`}
              >
                {label}
              </Link>
            ))}
          </nav>
          <FilterBar choices={summary.data?.choices} />
          {part === 'usage' && <UsageView />}
          {part === 'unasked' && <UnaskedView />}
          {part === '' && <FailuresView summary={summary} />}
        </div>
      </div>
    </>
  )
}
