import type { Changes, FileChange } from '@remora/protocol/api'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { copy } from '../browser/copy.ts'
import { findLanguage } from '../code/languages.ts'
import { openReview } from '../review/open-review.ts'
import { useIsViewer } from '../state/connection.ts'
import { toastError } from '../state/toasts.ts'
import { type SessionKey, api } from '../wire/api.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { DiffView } from '../diff/diff-view.tsx'
import { type DiffRow, parseHunks } from '../diff/diff-rows.ts'
import { replaceInvisible } from '../diff/replace-invisible.ts'
import { CopyIcon, FileIcon, ReviewIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { formatDiff } from './format-diff.ts'
import { toFileLink } from '../navigation/file-link.ts'
import { joinPath, splitPath } from '../files/paths.ts'

export interface FileDiffProps {
  readonly session: SessionKey
  readonly changes: Extract<Changes, { git: true }>
  readonly file: FileChange
  readonly wraps: boolean
  /** Shows the file name above the diff, where no row shows it. */
  readonly isTitled: boolean
}

/** The diff of one file and its actions. */
export function FileDiff({ session, changes, file, wraps, isTitled }: FileDiffProps) {
  const [whole, setWhole] = useState<{ readonly of: FileChange; readonly file: FileChange }>()
  const [isLoading, setLoading] = useState(false)
  // A fully loaded diff is used until the list is refreshed.
  const shown = whole?.of === file ? whole.file : file
  const { path, from, hunks, secret, cut, status } = shown
  const rows = useMemo(() => parseHunks(hunks ?? ''), [hunks])
  const full = joinPath(changes.root, path)
  const isViewer = useIsViewer()
  const review = isViewer ? undefined : formatDiff(shown)

  const loadAll = async (): Promise<void> => {
    setLoading(true)
    try {
      const { since } = changes
      const answer = await api.get('/api/sessions/:agent/:session/changes', {
        params: session,
        query: { since, file: path },
      })
      const found = answer.git ? answer.files.find((each) => each.path === path) : undefined
      if (found) setWhole({ of: file, file: found })
    } catch (error) {
      toastError(error)
    } finally {
      setLoading(false)
    }
  }
  return (
    <article
      aria-label={replaceInvisible(path)}
      data-testid="file-diff"
      className={isTitled ? 'min-h-full bg-raised' : 'border-t border-line bg-raised'}
    >
      {isTitled && (
        <h2 className="px-4 pt-2.5 text-sm font-semibold break-all">
          <bdi>{replaceInvisible(path)}</bdi>
        </h2>
      )}
      <div className="flex flex-wrap items-center gap-1 px-2 py-1">
        {status !== 'deleted' && !secret && (
          <Link
            href={toFileLink(session, full, findFirstChange(rows))}
            className="flex min-h-11 items-center gap-2 rounded-xl px-3 text-sm font-medium text-dim hover:bg-sunken hover:text-ink"
          >
            <FileIcon />
            {words.changes.openFile}
          </Link>
        )}
        {review !== undefined && (
          <Button
            variant="quiet"
            className="px-3! text-sm"
            onClick={() =>
              openReview({ session, what: { kind: 'diff', text: review }, title: splitPath(path)[1] })
            }
          >
            <ReviewIcon />
            {words.changes.reviewFile}
          </Button>
        )}
        <IconButton label={words.changes.copyPath} className="ml-auto" onClick={() => copy(full)}>
          <CopyIcon />
        </IconButton>
      </div>
      {from !== undefined && (
        <p className="px-4 pb-2 text-sm text-dim">
          <bdi className="break-all">{words.changes.renamedFrom(replaceInvisible(from))}</bdi>
        </p>
      )}
      {hunks && !secret ? (
        <DiffView rows={rows} label={replaceInvisible(path)} language={findLanguage(path)} wraps={wraps} />
      ) : (
        !cut && <p className="px-4 pb-4 text-dim">{noText(shown)}</p>
      )}
      {cut && (
        <div className="flex flex-wrap items-center justify-between gap-2 border-t border-line px-4 py-2">
          <p className="text-sm text-dim">{shown === file ? words.changes.cut : words.changes.tooLong}</p>
          {shown === file && (
            <Button disabled={isLoading} onClick={() => void loadAll()}>
              {words.changes.loadAll}
            </Button>
          )}
        </div>
      )}
    </article>
  )
}

function noText({ secret, binary }: FileChange): string {
  if (secret) return words.changes.secret
  return binary ? words.changes.binary : words.changes.empty
}

/** The line in the current file where the first change is. */
function findFirstChange(rows: readonly DiffRow[]): number | undefined {
  const row = rows.find(({ kind }) => kind === 'added') ?? rows.find(({ kind }) => kind === 'context')
  return row && 'new' in row ? row.new : undefined
}
