import type { SessionInfo } from '@remora/protocol/api'
import { formatTimeAgo } from '../ui/time-ago.ts'
import { words } from '../words/index.ts'
import { formatShortNumber } from '../ui/short-number.ts'

/** All tokens a session used, as far as its agent reports them. */
export function countTokens({ usage }: Pick<SessionInfo, 'usage'>): number {
  return usage.totalTokens ?? (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
}

/** The time, message count and tokens of a session. */
export function SessionMeta({ entry }: { readonly entry: SessionInfo }) {
  const tokens = countTokens(entry)
  const parts = [
    formatTimeAgo(entry.updatedAt),
    words.sessions.messages(entry.messages),
    ...(tokens > 0 ? [words.sessions.tokens(formatShortNumber(tokens))] : []),
    ...(entry.archivedAt === undefined ? [] : [words.sessions.archived]),
    ...(entry.hidden ? [words.sessions.hidden] : []),
  ]
  return <span className="truncate text-xs text-faint">{parts.join(' · ')}</span>
}

/** Removes Markdown syntax for a single line. @example withoutMarks('**Done**: `a` is right') // 'Done: a is right' */
export function withoutMarks(text: string): string {
  return text.replaceAll(/^\s*(?:#{1,6}|>|[-*+])\s+/gm, '').replaceAll(/(\*\*|__|`+)(?=\S)(.*?\S)\1/g, '$2')
}

/** The last message and its author. */
export function LastMessage({
  entry,
  title,
  className,
}: {
  readonly entry: SessionInfo
  /** The title above it, which is not repeated. */
  readonly title: string
  readonly className?: string
}) {
  const { last } = entry
  if (!last || last.text === title) return null
  return (
    <span dir="auto" className={className}>
      {last.role === 'user' && <span className="text-faint">{words.sessions.you}</span>}
      {withoutMarks(last.text.slice(0, 400))}
    </span>
  )
}
