import type { Counted, PathDetail, PathExample } from '@remora/protocol/api'
import { Link } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { useAgentNames } from '../state/agents.ts'
import { AgentMark } from '../ui/agent-mark.tsx'
import { formatTimeAgo } from '../ui/time-ago.ts'
import { words } from '../words/index.ts'
import { Card } from './card.tsx'
import { whole } from './format.ts'

const code =
  'max-h-40 overflow-auto rounded-lg bg-code px-3 py-2 font-mono text-sm whitespace-pre-wrap [overflow-wrap:anywhere]'

/** Inputs or errors with their counts. */
export function CountedTexts({
  title,
  texts,
}: {
  readonly title: string
  readonly texts: readonly Counted[]
}) {
  if (texts.length === 0) return null
  return (
    <Card title={title}>
      <ul className="mt-2 flex flex-col gap-2">
        {texts.map(({ name, count }) => (
          <li key={name} className="flex items-start gap-2">
            <span className="mt-2 min-w-9 shrink-0 text-right text-sm text-dim tabular-nums">
              {words.insights.times(whole(count))}
            </span>
            <pre tabIndex={0} className={`${code} min-w-0 flex-1`}>
              {name}
            </pre>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** The latest failures. */
export function Examples({ examples }: { readonly examples: readonly PathExample[] }) {
  if (examples.length === 0) return null
  return (
    <Card title={words.insights.examples}>
      <ul className="mt-2 flex flex-col gap-4">
        {examples.map((example, index) => (
          <li key={index} className="flex flex-col gap-1.5">
            <Link
              href={routes.session(example)}
              className="flex min-h-11 items-center gap-2 text-sm text-dim hover:text-ink"
            >
              <AgentMark agent={example.agent} className="size-6" />
              <bdi className="min-w-0 truncate">{example.native}</bdi>
              <span className="shrink-0">{formatTimeAgo(example.at)}</span>
              {example.cwd && <bdi className="min-w-0 truncate">{example.cwd}</bdi>}
            </Link>
            {example.input && (
              <pre tabIndex={0} className={code}>
                {example.input}
              </pre>
            )}
            {example.error && (
              <pre tabIndex={0} className={`${code} border-l-2 border-bad`}>
                {example.error}
              </pre>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** How agents recovered, and what they changed. */
export function Recoveries({ path }: { readonly path: PathDetail }) {
  const getAgentName = useAgentNames()
  return (
    <Card
      title={words.insights.recoveries}
      hint={path.recovered === 0 ? words.insights.recoveriesNone : words.insights.recovered(path.recovered)}
    >
      <ul className="flex flex-col gap-4">
        {path.recoveries.map((each, index) => (
          <li key={index}>
            <Link
              href={routes.session(each)}
              className="flex min-h-11 items-center gap-2 text-sm text-dim hover:text-ink"
            >
              <AgentMark agent={each.agent} className="size-6" />
              <span className="sr-only">{getAgentName(each.agent)}</span>
              <span className="min-w-0 flex-1 truncate">
                {words.insights.attempts(each.attempts, each.calls)}
              </span>
              <span className="shrink-0">{formatTimeAgo(each.at)}</span>
            </Link>
            {each.changes.length === 0 && <p className="text-sm text-dim">{words.insights.sameAgain}</p>}
            {each.changes.map(({ field, from, to }) => (
              <div key={field} className="mt-1.5 flex flex-col gap-1">
                <p className="font-mono text-xs text-dim">{field}</p>
                {from !== null && (
                  <Side sign="−" label={words.insights.before} text={from} className="bg-bad-soft" />
                )}
                {to !== null && (
                  <Side sign="+" label={words.insights.after} text={to} className="bg-good-soft" />
                )}
              </div>
            ))}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Side({
  sign,
  label,
  text,
  className,
}: {
  readonly sign: string
  readonly label: string
  readonly text: string
  readonly className: string
}) {
  return (
    <div className={`flex gap-2 rounded-lg px-3 py-1.5 ${className}`}>
      <span aria-hidden="true" className="font-mono text-sm">
        {sign}
      </span>
      <span className="sr-only">{label}</span>
      <pre
        tabIndex={0}
        className="max-h-32 min-w-0 flex-1 overflow-auto font-mono text-sm whitespace-pre-wrap [overflow-wrap:anywhere]"
      >
        {text}
      </pre>
    </div>
  )
}
