import type { Changes, FileChange } from '@remora/protocol/api'
import { type ReactNode, useState } from 'react'
import type { SessionKey } from '../wire/api.ts'
import { Empty } from '../ui/empty.tsx'
import { words } from '../words/index.ts'
import { FileDiff } from './file-diff.tsx'
import { classNames } from '../ui/class-names.ts'
import { replaceInvisible } from '../diff/replace-invisible.ts'
import { RightIcon } from '../ui/icons.tsx'
import { Counts } from './counts.tsx'
import { splitPath } from '../files/paths.ts'

export interface ChangedFilesProps {
  readonly session: SessionKey
  readonly changes: Extract<Changes, { git: true }>
  readonly isWide: boolean
  readonly wraps: boolean
  readonly summary: ReactNode
}

const shownAtOnce = 200

/** Each file expands in place on a phone. On a wide screen the list is beside the diff. */
export function ChangedFiles({ session, changes, isWide, wraps, summary }: ChangedFilesProps) {
  const { files, more } = changes
  // A single file is expanded at once.
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set(files.length === 1 ? [files[0]!.path] : []))
  const [chosen, setChosen] = useState<string>()
  const [most, setMost] = useState(shownAtOnce)
  if (files.length === 0)
    return (
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
        {summary}
        <Empty
          title={words.changes.none}
          hint={changes.since === 'start' ? words.changes.noneStart : words.changes.noneHead}
        />
      </div>
    )
  const current = files.find(({ path }) => path === chosen) ?? files[0]!
  const toggle = (path: string): void => {
    const next = new Set(open)
    if (!next.delete(path)) next.add(path)
    setOpen(next)
  }
  const renderDiff = (file: FileChange): ReactNode => (
    <FileDiff
      key={file.path}
      session={session}
      changes={changes}
      file={file}
      wraps={wraps}
      isTitled={isWide}
    />
  )
  const left = files.length - most
  const list = (
    <>
      <ul aria-label={words.changes.files} className="divide-y divide-line border-y border-line bg-raised">
        {files.slice(0, most).map((file) => (
          <li key={file.path}>
            <FileRow
              file={file}
              isOpen={isWide ? file === current : open.has(file.path)}
              isChoice={isWide}
              onOpen={() => (isWide ? setChosen(file.path) : toggle(file.path))}
            />
            {!isWide && open.has(file.path) && renderDiff(file)}
          </li>
        ))}
      </ul>
      {left > 0 && (
        <button
          type="button"
          onClick={() => setMost(most + shownAtOnce)}
          className="min-h-11 w-full px-4 text-sm font-medium text-accent hover:bg-sunken"
        >
          {words.changes.more(left)}
        </button>
      )}
      {more > 0 && <p className="px-4 py-3 text-sm text-dim">{words.changes.more(more)}</p>}
    </>
  )
  if (!isWide)
    return (
      <div className="pb-safe min-h-0 flex-1 overflow-y-auto overscroll-contain">
        {summary}
        {list}
      </div>
    )
  return (
    <div className="flex min-h-0 flex-1">
      <div className="w-72 shrink-0 overflow-y-auto border-r border-line">
        {summary}
        {list}
      </div>
      <div className="min-w-0 flex-1 overflow-y-auto">{renderDiff(current)}</div>
    </div>
  )
}

const hues: Partial<Record<FileChange['status'], string>> = {
  added: 'text-good',
  untracked: 'text-good',
  deleted: 'text-bad',
  conflict: 'text-bad',
}

interface FileRowProps {
  readonly file: FileChange
  readonly isOpen: boolean
  /** The row selects a file instead of expanding it. */
  readonly isChoice: boolean
  readonly onOpen: () => void
}

function FileRow({ file, isOpen, isChoice, onOpen }: FileRowProps) {
  const { path, status, additions, deletions } = file
  const [folder, name] = splitPath(path)
  return (
    <button
      type="button"
      {...(isChoice ? { 'aria-current': isOpen } : { 'aria-expanded': isOpen })}
      onClick={onOpen}
      title={replaceInvisible(path)}
      className={classNames(
        'flex min-h-14 w-full items-center gap-2 py-1.5 pr-4 pl-3 text-left',
        isChoice && isOpen ? 'bg-accent-soft' : 'hover:bg-sunken',
      )}
    >
      {!isChoice && (
        <RightIcon
          className={classNames('size-4 shrink-0 text-faint transition-transform', isOpen && 'rotate-90')}
        />
      )}
      <span className="min-w-0 flex-1">
        <bdi className="block truncate text-left font-medium">{replaceInvisible(name)}</bdi>
        <span className="block truncate text-xs text-dim">
          <span className={hues[status] ?? ''}>{words.changes.status[status] ?? status}</span>
          {folder !== '' && (
            <>
              {' · '}
              <bdi>{replaceInvisible(folder)}</bdi>
            </>
          )}
        </span>
      </span>
      {additions !== undefined && additions + (deletions ?? 0) > 0 && (
        <span className="text-sm">
          <Counts additions={additions} deletions={deletions ?? 0} />
        </span>
      )}
    </button>
  )
}
