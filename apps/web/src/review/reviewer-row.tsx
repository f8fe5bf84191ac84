import type { Reviewer } from '@remora/protocol/api'
import { Link } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { useAgentNames } from '../state/agents.ts'
import { AgentMark } from '../ui/agent-mark.tsx'
import { RightIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { getVerdictStyle } from './styles.ts'

/** A reviewer with its state, opinion or error, and a link to its session. */
export function ReviewerRow({ reviewer }: { readonly reviewer: Reviewer }) {
  const { agent, model, state, opinion, error, doing, toolCalls, tokens, session } = reviewer
  const name = useAgentNames()(agent)
  const isRunning = state === 'running'
  const facts = [
    ...(model ? [model] : []),
    ...(toolCalls > 0 ? [words.review.calls(toolCalls)] : []),
    ...(tokens ? [words.review.tokens(tokens.toLocaleString(words.language, { notation: 'compact' }))] : []),
  ].join(' · ')
  return (
    <li data-testid="reviewer" className="rounded-card border border-line bg-raised p-3">
      <div className="flex items-center gap-3">
        <AgentMark agent={agent} />
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-x-2">
            <span className="font-medium">{name}</span>
            <span className={`rounded-full px-2 py-0.5 text-xs font-medium ${getStyle(reviewer)}`}>
              {opinion ? words.review.verdicts[opinion.verdict] : words.review.reviewerStates[state]}
            </span>
          </p>
          {facts && <p className="truncate text-sm text-dim">{facts}</p>}
        </div>
        {session && (
          <Link
            href={routes.session({ agent, session })}
            aria-label={words.review.session(name)}
            title={words.review.session(name)}
            className="flex size-11 shrink-0 items-center justify-center rounded-xl text-dim hover:bg-sunken hover:text-ink"
          >
            <RightIcon />
          </Link>
        )}
      </div>
      {isRunning && doing && <p className="mt-2 line-clamp-2 text-sm break-words text-dim">{doing}</p>}
      {error && (
        <div className="mt-2 text-sm break-words">
          <p className="text-bad">{error.message}</p>
          {error.code === 'untrusted' ? (
            <p className="text-dim">{words.review.untrusted}</p>
          ) : (
            error.hint && <p className="text-dim">{error.hint}</p>
          )}
        </div>
      )}
      {opinion?.summary && (
        <p dir="auto" className="mt-2 text-sm break-words whitespace-pre-wrap">
          {opinion.summary}
        </p>
      )}
    </li>
  )
}

function getStyle({ state, opinion }: Reviewer): string {
  if (opinion) return getVerdictStyle(opinion.verdict)
  if (state === 'failed') return 'bg-bad-soft text-bad'
  return state === 'running' ? 'bg-accent-soft text-accent' : getVerdictStyle(undefined)
}
