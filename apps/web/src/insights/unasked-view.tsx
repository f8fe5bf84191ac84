import type { UnaskedCallInfo } from '@remora/protocol/api'
import { formatExact } from '@remora/protocol/plain'
import { useState } from 'react'
import { Link } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { useAgentNames } from '../state/agents.ts'
import { AgentMark } from '../ui/agent-mark.tsx'
import { Busy } from '../ui/busy.tsx'
import { Empty } from '../ui/empty.tsx'
import { LoadError } from '../ui/load-error.tsx'
import { formatTimeAgo } from '../ui/time-ago.ts'
import { api } from '../wire/api.ts'
import { words } from '../words/index.ts'
import { Card, Tiles } from './card.tsx'
import { toQuery, useFilters } from './filters.ts'
import { whole } from './format.ts'
import { type Load, useAnswer } from './use-answer.ts'

const loadUnasked: Load<'/api/insights/unasked'> = (query, signal) =>
  api.get('/api/insights/unasked', { query, signal })

/** Tool calls that ran or were blocked without a person's answer. */
export function UnaskedView() {
  const { data, error, again } = useAnswer(loadUnasked, toQuery(useFilters()))
  const [showsAll, setShowsAll] = useState(false)
  if (error !== undefined) return <LoadError isInline error={error} onRetry={again} />
  if (!data) return <Busy />
  const { ran, blocked, counts, levels, limitedTo } = data
  if (counts.ran + counts.blocked + counts.answered === 0)
    return <Empty title={words.insights.noUnasked} hint={words.insights.noUnaskedHint} />
  const risky = ran.filter(({ level }) => level === 'high' || level === 'medium')
  const shown = showsAll ? ran : risky
  const getCount = (level: string): number => levels.find(({ name }) => name === level)?.count ?? 0
  const riskyTotal = getCount('high') + getCount('medium')
  return (
    <>
      <Tiles
        tiles={[
          {
            name: words.insights.risky,
            value: whole(getCount('high')),
          },
          { name: words.insights.ranUnasked, value: whole(counts.ran) },
          { name: words.insights.blockedUnasked, value: whole(counts.blocked) },
          { name: words.insights.answeredByYou, value: whole(counts.answered) },
        ]}
      />
      {limitedTo !== undefined && (
        <p className="text-sm text-dim">{words.insights.limited(whole(limitedTo))}</p>
      )}
      <Card title={words.insights.ranTitle} hint={words.insights.ranHint}>
        {shown.length === 0 && <p className="mt-2">{words.insights.allAnswered}</p>}
        <Calls calls={shown} total={showsAll ? counts.ran : riskyTotal} />
        {!showsAll && counts.ran > riskyTotal && (
          <button
            type="button"
            onClick={() => setShowsAll(true)}
            className="mt-3 min-h-11 w-full rounded-xl bg-sunken px-4 font-medium text-accent"
          >
            {words.insights.showHarmless(counts.ran - riskyTotal)}
          </button>
        )}
      </Card>
      {blocked.length > 0 && (
        <Card title={words.insights.blockedTitle}>
          <Calls calls={blocked} total={counts.blocked} />
        </Card>
      )}
    </>
  )
}

/** Calls, and how many of all they are if the server sent only the first ones. */
function Calls({ calls, total }: { readonly calls: readonly UnaskedCallInfo[]; readonly total: number }) {
  return (
    <>
      <ul className="mt-2 flex flex-col divide-y divide-line">
        {calls.map((call, index) => (
          <li key={index} className="py-3 first:pt-0 last:pb-0">
            <Call call={call} />
          </li>
        ))}
      </ul>
      {total > calls.length && (
        <p className="mt-3 text-sm text-dim">{words.insights.first(whole(calls.length), whole(total))}</p>
      )}
    </>
  )
}

const tones: Readonly<Record<string, string>> = {
  high: 'bg-bad-soft text-bad',
  medium: 'bg-warn-soft text-warn',
}

function Call({ call }: { readonly call: UnaskedCallInfo }) {
  const getAgentName = useAgentNames()
  const { agent, at, tool, text, reason, rule, refusal, level, risks, cwd } = call
  const meaning = risks.map((risk) => risk.meaning).join(', ') || words.insights.harmless
  return (
    <article className="flex min-w-0 flex-col gap-1.5">
      <p className="flex items-baseline gap-2">
        <span className={`rounded-md px-1.5 text-sm font-medium ${tones[level] ?? 'bg-sunken text-dim'}`}>
          {words.insights.levels[level] ?? level}
        </span>
        <span className="min-w-0">{meaning}</span>
      </p>
      <pre
        tabIndex={0}
        className="max-h-40 overflow-auto rounded-lg bg-code px-3 py-2 font-mono text-sm [overflow-wrap:anywhere] whitespace-pre-wrap"
      >
        {formatExact(`${tool} ${text}`).text}
      </pre>
      {refusal !== undefined && (
        <pre
          tabIndex={0}
          className="max-h-24 overflow-auto rounded-lg border-l-2 border-bad bg-code px-3 py-2 font-mono text-sm [overflow-wrap:anywhere] whitespace-pre-wrap"
        >
          {formatExact(refusal).text}
        </pre>
      )}
      <p className="text-sm text-dim">{rule ?? words.insights.reasons[reason] ?? reason}</p>
      <Link
        href={routes.session(call)}
        className="flex min-h-11 items-center gap-2 text-sm text-dim hover:text-ink"
      >
        <AgentMark agent={agent} className="size-6" />
        <span className="sr-only">{getAgentName(agent)}</span>
        <span className="shrink-0">{formatTimeAgo(at)}</span>
        {cwd !== undefined && <bdi className="min-w-0 truncate">{cwd}</bdi>}
      </Link>
    </article>
  )
}
