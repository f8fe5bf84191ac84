import type { FileChange } from '@remora/protocol/api'
import { classNames } from '../ui/class-names.ts'
import { replaceInvisible } from '../diff/replace-invisible.ts'
import { RightIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { Counts } from './counts.tsx'
import { splitPath } from '../files/paths.ts'

const hues: Partial<Record<FileChange['status'], string>> = {
  added: 'text-good',
  untracked: 'text-good',
  deleted: 'text-bad',
  conflict: 'text-bad',
}

export interface FileRowProps {
  readonly file: FileChange
  readonly isOpen: boolean
  /** The row selects a file instead of expanding it. */
  readonly isChoice: boolean
  readonly onOpen: () => void
}

export function FileRow({ file, isOpen, isChoice, onOpen }: FileRowProps) {
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
