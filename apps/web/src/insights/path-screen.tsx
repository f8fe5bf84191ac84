import type { PathDetail, PathFix } from '@remora/protocol/api'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { useAgentNames } from '../state/agents.ts'
import { AgentMark } from '../ui/agent-mark.tsx'
import { Busy } from '../ui/busy.tsx'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { ScreenHeader } from '../ui/screen-header.tsx'
import { formatTimeAgo } from '../ui/time-ago.ts'
import { api, ApiError } from '../wire/api.ts'
import { words } from '../words/index.ts'
import { Bars, projectBar, useAgentBars } from './bars.tsx'
import { Card, Tiles } from './card.tsx'
import { Chart } from './chart.tsx'
import { getSpan, toQuery, useFilters, utcOffset } from './filters.ts'
import { className, pathTitle, whole } from './format.ts'
import { CountedTexts, Examples, Recoveries } from './path-evidence.tsx'
import { PathList, TrendMark } from './path-list.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { fitted, spread } from './series.ts'
import { type Load, useAnswer } from './use-answer.ts'
import { toastError } from '../state/toasts.ts'
import { CheckIcon, CopyIcon } from '../ui/icons.tsx'

const loadPath: Load<'/api/insights/paths/:id', { id: string }> = ({ id, ...query }, signal) =>
  api.get('/api/insights/paths/:id', { params: { id }, query, signal })

/** One desire path: its counts, evidence and fixes. */
export function PathScreen({ id }: { readonly id: string }) {
  const filters = useFilters()
  const { data, error, again } = useAnswer(loadPath, {
    id,
    ...toQuery(filters),
    utcOffset: utcOffset(),
  })
  const isGone = error instanceof ApiError && error.status === 404
  return (
    <>
      <ScreenHeader title={words.insights.path} back={routes.insights} />
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
        <div className="pb-safe mx-auto flex max-w-4xl flex-col gap-4 px-4 pt-4">
          {isGone ? (
            <Empty title={words.insights.pathGone} hint={words.insights.pathGoneHint}>
              <Button onClick={() => useFilters.setState({ agent: '', project: '', days: 0 })}>
                {words.insights.sinceAll}
              </Button>
            </Empty>
          ) : error === undefined ? (
            data ? (
              <Detail path={data} />
            ) : (
              <Busy />
            )
          ) : (
            <LoadError isInline error={error} onRetry={again} />
          )}
        </div>
      </div>
    </>
  )
}

function Detail({ path }: { readonly path: PathDetail }) {
  const toAgentBar = useAgentBars()
  const getAgentName = useAgentNames()
  const filters = useFilters()
  const drawn = useMemo(() => {
    const days = spread(path.days, getSpan(filters), { count: 0 })
    return fitted({
      labels: days.map(({ day }) => day),
      series: [{ name: words.insights.failed, color: '--chart-1', values: days.map(({ count }) => count) }],
    })
  }, [path, filters])
  return (
    <>
      <header>
        <p className="flex flex-wrap items-center gap-2 text-sm text-dim">
          <span>{className(path.class)}</span>
          <TrendMark trend={path.trend} />
        </p>
        <h2 className="mt-1 text-xl font-semibold break-words">
          <bdi>{pathTitle(path)}</bdi>
        </h2>
        <p className="mt-1">{words.insights.meanings[path.class] ?? ''}</p>
        <p className="mt-1 font-mono text-xs break-words text-dim">
          <bdi>{path.name}</bdi> · {words.insights.rule(path.rule)}
        </p>
      </header>
      <Tiles
        tiles={[
          { name: words.insights.howOften, value: words.insights.times(whole(path.count)) },
          { name: words.insights.sessions, value: whole(path.sessions) },
          { name: words.insights.firstSeen, value: formatTimeAgo(path.first) },
          { name: words.insights.lastSeen, value: formatTimeAgo(path.last) },
        ]}
      />
      <Fixes fixes={path.fixes} />
      <Chart
        title={words.insights.overTime}
        hint={drawn.by === 'day' ? words.insights.plainByDay : words.insights.plainByWeek}
        data={drawn.data}
      />
      <div className="grid gap-4 lg:grid-cols-2">
        <Card title={words.insights.byAgent}>
          <Bars bars={path.byAgent.map(({ name, count }) => toAgentBar(name, count, whole(count)))} />
        </Card>
        <Card title={words.insights.byProject}>
          <Bars bars={path.byProject.map(({ name, count }) => projectBar(name, count, whole(count)))} />
        </Card>
        <CountedTexts title={words.insights.inputs} texts={path.inputs} />
        <CountedTexts title={words.insights.errors} texts={path.errors} />
      </div>
      <Recoveries path={path} />
      <Examples examples={path.examples} />
      <Card title={words.insights.latestSessions}>
        <ul className="-mx-2 mt-1">
          {path.latestSessions.map((each) => (
            <li key={`${each.agent}/${each.session}`}>
              <Link
                href={routes.session(each)}
                className="flex min-h-12 items-center gap-3 rounded-lg px-2 py-1 hover:bg-sunken"
              >
                <AgentMark agent={each.agent} className="size-7" />
                <bdi className="min-w-0 flex-1 truncate">{each.title ?? getAgentName(each.agent)}</bdi>
                <span className="shrink-0 text-sm text-dim">
                  {words.insights.times(whole(each.count))} · {formatTimeAgo(each.last)}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      </Card>
      {path.similar.length > 0 && (
        <Card title={words.insights.similar}>
          <PathList paths={path.similar} />
        </Card>
      )}
    </>
  )
}

/** Suggested fixes to copy, the best first. */
function Fixes({ fixes }: { readonly fixes: readonly PathFix[] }) {
  if (fixes.length === 0) return null
  return (
    <Card title={words.insights.fix}>
      <ul className="mt-2 flex flex-col gap-4">
        {fixes.map((fix, index) => (
          <Fix key={index} fix={fix} />
        ))}
      </ul>
    </Card>
  )
}

const copiedMs = 2_000

function Fix({ fix: { kind, text, where, paste } }: { readonly fix: PathFix }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(paste)
    setCopied(true)
    setTimeout(() => setCopied(false), copiedMs)
  }
  return (
    <li>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="rounded-full bg-accent-soft px-2 py-0.5 text-xs font-medium text-accent">
          {words.insights.fixKinds[kind] ?? kind}
        </span>
        <span className="min-w-0 break-words">{text}</span>
        {!text.includes(where) && (
          <span className="text-sm text-dim">
            {where === 'shell' ? words.insights.inShell : words.insights.where(where)}
          </span>
        )}
      </p>
      <div className="mt-2 flex flex-col gap-1 rounded-xl bg-code p-1 pl-3 sm:flex-row sm:items-start">
        <pre className="min-w-0 flex-1 overflow-x-auto py-2.5 font-mono text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">
          {paste}
        </pre>
        <Button className="self-end px-3 sm:self-start" onClick={() => void copy().catch(toastError)}>
          {isCopied ? <CheckIcon /> : <CopyIcon />}
          <span aria-live="polite">{isCopied ? words.insights.copied : words.insights.copyFix}</span>
        </Button>
      </div>
    </li>
  )
}
