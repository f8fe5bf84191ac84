import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { openReview } from '../review/open-review.ts'
import { useIsViewer } from '../state/connection.ts'
import { useLiveSession } from '../state/live.ts'
import type { SessionKey } from '../wire/api.ts'
import { Busy } from '../ui/busy.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { BranchIcon, CopyIcon, FolderIcon, RefreshIcon, ReviewIcon } from '../ui/icons.tsx'
import { ScreenHeader } from '../ui/screen-header.tsx'
import { words } from '../words/index.ts'
import { ChangedFiles } from './changed-files.tsx'
import { toFileLink } from '../navigation/file-link.ts'
import { LoadError } from '../ui/load-error.tsx'
import { type Since, useChanges } from './use-changes.ts'
import { useWraps, WrapButton } from '../files/wrap-button.tsx'
import { classNames } from '../ui/class-names.ts'
import type { LiveInfo } from '@remora/protocol'
import type { Changes } from '@remora/protocol/api'
import { copy } from '../browser/copy.ts'
import { replaceInvisible } from '../diff/replace-invisible.ts'
import { Counts } from './counts.tsx'

const choices = [
  { value: 'start', label: words.changes.start },
  { value: 'head', label: words.changes.head },
] as const

/** The changed files in the session's folder, with a way to send them to review. */
export function ChangesScreen({ session }: { readonly session: SessionKey }) {
  const [since, setSince] = useState<Since>('start')
  const [wraps, setWraps] = useWraps()
  const { changes, error, isLoading, reload } = useChanges(session, since)
  const live = useLiveSession(session)
  const isViewer = useIsViewer()
  const place = useRef<HTMLDivElement>(null)
  const isWide = useWide(place)
  const files = changes?.git ? changes.files : []
  return (
    <section className="flex min-h-0 flex-1 flex-col">
      <ScreenHeader title={words.changes.title} back={routes.session(session)}>
        <WrapButton wraps={wraps} onChange={setWraps} />
        <Link
          href={toFileLink(session)}
          aria-label={words.changes.browse}
          title={words.changes.browse}
          className="flex size-11 items-center justify-center rounded-xl text-dim hover:bg-sunken hover:text-ink"
        >
          <FolderIcon />
        </Link>
        <IconButton label={words.changes.refresh} disabled={isLoading} onClick={reload}>
          <RefreshIcon className={isLoading ? 'size-5 animate-spin' : 'size-5'} />
        </IconButton>
      </ScreenHeader>
      <div ref={place} className="flex min-h-0 flex-1 flex-col">
        {changes?.git === false ? (
          <Empty title={words.changes.notGit} hint={changes.reason}>
            <p className="max-w-sm text-dim">{words.changes.notGitHint}</p>
            <Link
              href={toFileLink(session)}
              className="flex min-h-11 items-center gap-2 rounded-xl px-4 font-medium text-accent hover:bg-sunken"
            >
              <FolderIcon />
              {words.changes.browse}
            </Link>
          </Empty>
        ) : (
          <>
            <div className="flex flex-col gap-2 border-b border-line bg-raised px-3 py-2 md:flex-row md:flex-wrap md:items-center md:justify-between">
              <Segments label={words.changes.since} value={since} choices={choices} onChoose={setSince} />
              {changes && files.length > 0 && !isViewer && (
                <Button
                  variant="primary"
                  onClick={() =>
                    openReview({
                      session,
                      what: { kind: 'changes', since },
                      title: words.changes.reviewTitle(files.length + changes.more),
                    })
                  }
                >
                  <ReviewIcon />
                  {words.changes.review}
                </Button>
              )}
            </div>
            {changes ? (
              <ChangedFiles
                session={session}
                changes={changes}
                isWide={isWide}
                wraps={wraps}
                summary={<Summary changes={changes} worktree={live?.worktree} />}
              />
            ) : error === undefined ? (
              <Busy />
            ) : (
              <LoadError error={error} onRetry={reload} />
            )}
          </>
        )}
      </div>
    </section>
  )
}

/** The width from which the list fits beside the diff. */
const widePixels = 720

function useWide(element: RefObject<HTMLElement | null>): boolean {
  const [isWide, setWide] = useState(false)
  useLayoutEffect(() => {
    const place = element.current
    if (!place) return undefined
    const measure = (): void => setWide(place.clientWidth >= widePixels)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(place)
    return () => observer.disconnect()
  }, [element])
  return isWide
}

interface SegmentsProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly choices: readonly { readonly value: T; readonly label: string }[]
  readonly onChoose: (value: T) => void
}

/** A choice of a few values, all visible. @example <Segments label={…} value={since} choices={…} onChoose={setSince} /> */
function Segments<T extends string>({ label, value, choices, onChoose }: SegmentsProps<T>) {
  return (
    <div role="group" aria-label={label} className="flex rounded-xl bg-sunken p-0.5">
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChoose(choice.value)}
          className={classNames(
            'min-h-11 flex-1 rounded-[0.65rem] px-3 text-sm font-medium whitespace-nowrap',
            choice.value === value ? 'bg-raised text-ink shadow-sm' : 'text-dim hover:text-ink',
          )}
        >
          {choice.label}
        </button>
      ))}
    </div>
  )
}

interface SummaryProps {
  readonly changes: Extract<Changes, { git: true }>
  readonly worktree: LiveInfo['worktree']
}

/** The number of changed lines and files, the branch and the folder. */
function Summary({ changes, worktree }: SummaryProps) {
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
