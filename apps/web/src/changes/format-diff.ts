import type { FileChange } from '@remora/protocol/api'

/** Formats the changes of a file as a unified diff; undefined if it has no text. */
export function formatDiff({
  path,
  from = path,
  status,
  hunks,
  secret,
  cut,
}: FileChange): string | undefined {
  if (!hunks || secret) return undefined
  const before = status === 'added' || status === 'untracked' ? '/dev/null' : `a/${from}`
  const after = status === 'deleted' ? '/dev/null' : `b/${path}`
  return [
    `diff --git a/${from} b/${path}`,
    ...(from === path ? [] : [`rename from ${from}`, `rename to ${path}`]),
    ...(cut ? ['(truncated)'] : []),
    `--- ${before}`,
    `+++ ${after}`,
    hunks,
  ].join('\n')
}
