import type { InsightsSummary } from '@remora/protocol/api'
import { useMemo, useState } from 'react'
import { Busy } from '../ui/busy.tsx'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { api } from '../wire/api.ts'
import { words } from '../words/index.ts'
import { Bars, projectBar, useAgentBars } from './bars.tsx'
import { Card, Tiles } from './card.tsx'
import { Chart } from './chart.tsx'
import { toQuery, getSpan, useFilters, utcOffset } from './filters.ts'
import { className, percent, whole } from './format.ts'
import { PathList } from './path-list.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { fitted, spread, stacked } from './series.ts'
import { type Answer, type Load, useAnswer } from './use-answer.ts'

const loadTrend: Load<'/api/insights/trend'> = (query, signal) =>
  api.get('/api/insights/trend', { query, signal })
const loadPaths: Load<'/api/insights/paths'> = (query, signal) =>
  api.get('/api/insights/paths', { query, signal })

const first = 10
const most = 100

/** Failed tool calls over time and by path, agent and project. */
export function FailuresView({ summary }: { readonly summary: Answer<InsightsSummary> }) {
  const toAgentBar = useAgentBars()
  const { data } = summary
  if (summary.error !== undefined) return <LoadError isInline error={summary.error} onRetry={summary.again} />
  if (!data) return <Busy />
  if (data.calls === 0) return <Empty title={words.insights.none} hint={words.insights.noneHint} />
  if (data.failed === 0)
    return <Empty title={words.insights.noneFailed} hint={words.insights.noneFailedHint(whole(data.calls))} />
  const label = (failed: number, calls: number): string =>
    words.insights.failedShare(whole(failed), whole(calls))
  return (
    <>
      <Tiles
        tiles={[
          { name: words.insights.failed, value: whole(data.failed) },
          { name: words.insights.rate, value: percent(data.failed, data.calls) },
          { name: words.insights.patterns, value: whole(data.paths) },
          { name: words.insights.sessions, value: whole(data.sessions) },
        ]}
      />
      {data.corrected > 0 && <p className="text-sm text-dim">{words.insights.corrected(data.corrected)}</p>}
      <OverTime />
      <TopPaths />
      <div className="grid gap-4 lg:grid-cols-2">
        <Card title={words.insights.byAgent}>
          <Bars
            bars={data.agents.map(({ name, failed, calls }) =>
              toAgentBar(name, failed, label(failed, calls)),
            )}
          />
        </Card>
        <Card title={words.insights.byProject}>
          <Bars
            bars={data.projects
              .slice(0, first)
              .map(({ name, failed, calls }) => projectBar(name, failed, label(failed, calls)))}
          />
        </Card>
      </div>
    </>
  )
}

function OverTime() {
  const filters = useFilters()
  const { data } = useAnswer(loadTrend, {
    ...toQuery(filters),
    utcOffset: utcOffset(),
  })
  const drawn = useMemo(
    () =>
      data &&
      fitted(
        stacked(
          spread(
            data.days.map(({ day, classes }) => ({ day, values: classes })),
            getSpan(filters),
            { values: {} },
          ),
          { getName: className, others: words.insights.others },
        ),
      ),
    [data, filters],
  )
  if (!drawn || drawn.data.labels.length === 0) return null
  return (
    <Chart
      title={words.insights.overTime}
      hint={drawn.by === 'day' ? words.insights.byDay : words.insights.byWeek}
      data={drawn.data}
    />
  )
}

function TopPaths() {
  const filters = useFilters()
  const [isWhole, setWhole] = useState(false)
  const { data } = useAnswer(loadPaths, {
    ...toQuery(filters),
    limit: most,
  })
  if (!data) return null
  const more = data.paths.length - first
  return (
    <Card title={words.insights.topPaths} hint={words.insights.topPathsHint}>
      <PathList paths={isWhole ? data.paths : data.paths.slice(0, first)} />
      {!isWhole && more > 0 && (
        <Button variant="quiet" wide className="mt-2" onClick={() => setWhole(true)}>
          {words.insights.more(more)}
        </Button>
      )}
    </Card>
  )
}
