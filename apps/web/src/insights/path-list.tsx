import type { PathInfo } from '@remora/protocol/api'
import { Link } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { useAgentNames } from '../state/agents.ts'
import { AgentMark } from '../ui/agent-mark.tsx'
import { words } from '../words/index.ts'
import { BarLine } from './bars.tsx'
import { pathTitle, whole } from './format.ts'

const looks = {
  new: 'bg-warn-soft text-warn',
  up: 'bg-bad-soft text-bad',
  steady: 'bg-sunken text-dim',
  down: 'bg-good-soft text-good',
  quiet: 'bg-sunken text-dim',
} as const

export function TrendMark({ trend }: { readonly trend: PathInfo['trend'] }) {
  return (
    <span className={`shrink-0 rounded-full px-2 py-0.5 text-xs font-medium ${looks[trend]}`}>
      {words.insights.trends[trend]}
    </span>
  )
}

/** Desire paths with their counts, as links. */
export function PathList({ paths }: { readonly paths: readonly PathInfo[] }) {
  const getAgentName = useAgentNames()
  const most = paths.reduce((one, { count }) => Math.max(one, count), 0)
  return (
    <ol className="-mx-2 flex flex-col">
      {paths.map((path) => (
        <li key={path.id}>
          <Link
            href={`${routes.insights}/path/${encodeURIComponent(path.id)}`}
            className="block min-h-11 rounded-lg px-2 py-2 hover:bg-sunken"
          >
            <span className="flex items-center gap-2">
              <bdi className="min-w-0 flex-1 truncate font-medium">{pathTitle(path)}</bdi>
              <TrendMark trend={path.trend} />
              <span className="min-w-10 shrink-0 text-right text-sm text-dim tabular-nums">
                {words.insights.times(whole(path.count))}
              </span>
            </span>
            <span className="flex items-center gap-2 pt-0.5">
              <bdi className="min-w-0 flex-1 truncate font-mono text-xs text-dim">{path.name}</bdi>
              <span className="flex shrink-0 gap-0.5">
                {path.agents.slice(0, 4).map((agent) => (
                  <span key={agent} title={getAgentName(agent)}>
                    <AgentMark agent={agent} className="size-5 rounded-md" />
                    <span className="sr-only">{getAgentName(agent)}</span>
                  </span>
                ))}
              </span>
            </span>
            <BarLine value={path.count} most={most} />
          </Link>
        </li>
      ))}
    </ol>
  )
}
