import type { SearchHit } from '@remora/protocol/api'
import { memo, type ReactNode } from 'react'
import { Link } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { getProject } from '../sessions/project.ts'
import { getSessionTitle } from '../sessions/session-title.ts'
import { useAgentNames } from '../state/agents.ts'
import { AgentMark } from '../ui/agent-mark.tsx'
import { formatTimeAgo } from '../ui/time-ago.ts'
import { words } from '../words/index.ts'

/** A search result that links to its message. */
export const HitRow = memo(function HitRow({ hit }: { readonly hit: SearchHit }) {
  const getAgentName = useAgentNames()
  const { name } = getProject(hit.cwd)
  return (
    <Link
      href={`${routes.session(hit)}?at=${hit.at}`}
      className="flex items-start gap-3 rounded-card border border-line bg-raised p-3 hover:bg-sunken"
    >
      <AgentMark agent={hit.agent} />
      <span className="flex min-w-0 flex-1 flex-col gap-1">
        <span className="flex items-baseline gap-2">
          <span className="sr-only">{getAgentName(hit.agent)}: </span>
          <span dir="auto" className="min-w-0 flex-1 truncate font-medium">
            {hit.title ? getSessionTitle({ title: hit.title }) : name || words.sessions.noFolder}
          </span>
          <span className="shrink-0 text-xs text-faint">{formatTimeAgo(hit.at)}</span>
        </span>
        <span dir="auto" className="line-clamp-3 text-sm break-words text-dim">
          <Marked text={hit.snippet} matches={hit.matches} />
        </span>
        <span className="flex min-w-0 items-center gap-1.5 text-xs text-faint">
          <span className="shrink-0 rounded-md bg-sunken px-1.5 py-0.5 font-medium">
            {words.search.kinds[hit.kind] ?? hit.kind}
          </span>
          {name && <span className="truncate">{name}</span>}
        </span>
      </span>
    </Link>
  )
})

/** A text with the matches highlighted. */
function Marked({
  text,
  matches,
}: {
  readonly text: string
  readonly matches: readonly (readonly [number, number])[]
}): ReactNode {
  return splitMarked(text, matches).map(({ text: part, isMatch, at }) =>
    isMatch ? (
      <mark key={at} className="rounded-sm bg-warn-soft font-semibold text-warn">
        {part}
      </mark>
    ) : (
      part
    ),
  )
}

interface MarkedPart {
  readonly text: string
  readonly isMatch: boolean
  /** The start position. */
  readonly at: number
}

/** Splits a text at matches. Matches outside the text are ignored. */
export function splitMarked(
  text: string,
  matches: readonly (readonly [start: number, end: number])[],
): MarkedPart[] {
  const parts: MarkedPart[] = []
  let at = 0
  const add = (end: number, isMatch: boolean): void => {
    if (end > at) parts.push({ text: text.slice(at, end), isMatch, at })
    at = Math.max(at, end)
  }
  for (const [start, end] of matches.toSorted(([left], [right]) => left - right)) {
    if (!(start >= at && end > start && end <= text.length)) continue
    add(start, false)
    add(end, true)
  }
  add(text.length, false)
  return parts
}
