import type { FileChange } from '@remora/protocol/api'

/** One file's changes as a unified diff, as other agents read it; undefined where there is no text to show them. */
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
