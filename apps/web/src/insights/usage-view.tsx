import type { Spending, UsageReport } from '@remora/protocol/api'
import { useCallback, useMemo } from 'react'
import { useAgentNames } from '../state/agents.ts'
import { Busy } from '../ui/busy.tsx'
import { Empty } from '../ui/empty.tsx'
import { api } from '../wire/api.ts'
import { words } from '../words/index.ts'
import { Bars, projectBar, useAgentBars } from './bars.tsx'
import { Card, Tiles } from './card.tsx'
import { Chart } from './chart.tsx'
import { toQuery, getSpan, useFilters, utcOffset } from './filters.ts'
import { dollars, short } from './format.ts'
import { LoadError } from '../ui/load-error.tsx'
import { fitted, spread, stacked } from './series.ts'
import { type Load, useAnswer } from './use-answer.ts'

const shown = 12
const loadUsage: Load<'/api/insights/usage'> = (query, signal) =>
  api.get('/api/insights/usage', { query, signal })

/** Tokens and cost by day, model, project and agent. */
export function UsageView() {
  const toAgentBar = useAgentBars()
  const getModelName = useModelNames()
  const filters = useFilters()
  const { data, error, again } = useAnswer(loadUsage, {
    ...toQuery(filters),
    utcOffset: utcOffset(),
  })
  if (error !== undefined) return <LoadError isInline error={error} onRetry={again} />
  if (!data) return <Busy />
  if (data.total.tokens === 0)
    return <Empty title={words.insights.noUsage} hint={words.insights.noUsageHint} />
  const { usage, costUsd } = data.total
  return (
    <>
      <Tiles
        tiles={[
          { name: words.insights.tokens, value: short(data.total.tokens) },
          { name: words.insights.input, value: short(usage.inputTokens ?? 0) },
          { name: words.insights.output, value: short(usage.outputTokens ?? 0) },
          {
            name: words.insights.cost,
            value: costUsd === undefined ? words.insights.costUnknown : dollars(costUsd),
          },
        ]}
      />
      <CostNotes report={data} />
      <Days report={data} />
      <div className="grid gap-4 lg:grid-cols-2">
        <Card title={words.insights.byModel}>
          <Bars
            bars={data.models.slice(0, shown).map((each) => ({
              key: each.name ?? '',
              name: getModelName(each.name ?? ''),
              value: each.tokens,
              label: formatSpending(each),
            }))}
          />
        </Card>
        <Card title={words.insights.byProject}>
          <Bars
            bars={data.projects
              .slice(0, shown)
              .map((each) => projectBar(each.name ?? '', each.tokens, formatSpending(each)))}
          />
        </Card>
        <Card title={words.insights.byAgent}>
          <Bars
            bars={data.agents.map((each) => toAgentBar(each.name ?? '', each.tokens, formatSpending(each)))}
          />
        </Card>
      </div>
    </>
  )
}

function CostNotes({ report: { unpriced, pricesAsOf } }: { readonly report: UsageReport }) {
  const getModelName = useModelNames()
  if (unpriced.length === 0 && pricesAsOf === undefined) return null
  const names = unpriced.map(getModelName)
  return (
    <div className="flex flex-col gap-1 text-sm text-dim">
      {names.length > 0 && <p className="break-words">{words.insights.costUnknownFor(names.join(', '))}</p>}
      {pricesAsOf !== undefined && <p>{words.insights.prices(pricesAsOf)}</p>}
    </div>
  )
}

function Days({ report }: { readonly report: UsageReport }) {
  const filters = useFilters()
  const getModelName = useModelNames()
  const days = useMemo(
    () => spread(report.days, getSpan(filters), { usage: {}, tokens: 0, unpriced: false, models: {} }),
    [report, filters],
  )
  const tokens = useMemo(
    () =>
      fitted(
        stacked(
          days.map(({ day, models }) => ({ day, values: models })),
          { getName: getModelName, others: words.insights.others },
        ),
      ),
    [days, getModelName],
  )
  const cost = useMemo(
    () =>
      days.some(({ costUsd }) => costUsd !== undefined)
        ? fitted({
            labels: days.map(({ day }) => day),
            series: [
              {
                name: words.insights.cost,
                color: '--chart-2',
                values: days.map(({ costUsd }) => costUsd ?? 0),
              },
            ],
          })
        : undefined,
    [days],
  )
  return (
    <>
      <Chart
        title={words.insights.tokensOverTime}
        hint={tokens.by === 'day' ? words.insights.byModelStacked : words.insights.byModelStackedWeek}
        data={tokens.data}
        format={short}
      />
      {cost && (
        <Chart
          title={words.insights.costOverTime}
          hint={cost.by === 'day' ? words.insights.costByDay : words.insights.costByWeek}
          data={cost.data}
          format={dollars}
        />
      )}
    </>
  )
}

/** Names models. The usage of an agent that does not report its model is listed under the agent. */
function useModelNames(): (model: string) => string {
  const getAgentName = useAgentNames()
  return useCallback(
    (model) => (model === '' ? words.insights.unknownModel : getAgentName(model)),
    [getAgentName],
  )
}

/** Tokens, and the cost if known. */
function formatSpending({ tokens, costUsd }: Spending): string {
  return [short(tokens), ...(costUsd === undefined ? [] : [dollars(costUsd)])].join(' · ')
}
