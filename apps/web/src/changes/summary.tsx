import type { LiveInfo } from '@remora/protocol'
import type { Changes } from '@remora/protocol/api'
import { copy } from '../browser/copy.ts'
import { replaceInvisible } from '../diff/replace-invisible.ts'
import { BranchIcon, CopyIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { Counts } from './counts.tsx'

export interface SummaryProps {
  readonly changes: Extract<Changes, { git: true }>
  readonly worktree: LiveInfo['worktree']
}

/** The number of changed lines and files, the branch and the folder. */
export function Summary({ changes, worktree }: SummaryProps) {
  const { files, additions, deletions, more, branch, root, guessed, baseLost } = changes
  const where = worktree?.branch ?? branch
  return (
    <div className="flex flex-col gap-1 px-4 py-2.5">
      {files.length > 0 && (
        <p className="font-medium" data-testid="summary">
          <Counts additions={additions} deletions={deletions} /> {words.changes.summary(files.length + more)}
        </p>
      )}
      <div className="flex min-w-0 items-center gap-1.5 text-sm text-dim">
        {where !== undefined && (
          <span className="flex min-w-0 shrink items-center gap-1">
            <BranchIcon className="size-4 shrink-0" />
            <span className="sr-only">{words.changes.branch}</span>
            <bdi className="truncate">{replaceInvisible(where)}</bdi>
          </span>
        )}
        <bdi className="min-w-0 flex-1 truncate font-mono text-xs" title={replaceInvisible(root)}>
          {replaceInvisible(root)}
        </bdi>
        <button
          type="button"
          aria-label={words.changes.copyPath}
          title={words.changes.copyPath}
          onClick={() => copy(root)}
          className="-my-2 -mr-2 flex size-11 shrink-0 items-center justify-center rounded-lg text-faint hover:text-ink"
        >
          <CopyIcon className="size-4" />
        </button>
      </div>
      {worktree && (
        <p className="truncate text-sm text-dim">
          <bdi>{words.changes.worktree(replaceInvisible(worktree.of))}</bdi>
        </p>
      )}
      {guessed && <p className="text-sm text-dim">{words.changes.guessed}</p>}
      {baseLost && <p className="text-sm text-warn">{words.changes.baseLost}</p>}
    </div>
  )
}
