import type { FileView } from '@remora/protocol/api'
import { Link } from 'wouter'
import type { SessionKey } from '../wire/api.ts'
import { replaceInvisible } from '../diff/replace-invisible.ts'
import { Empty } from '../ui/empty.tsx'
import { FileIcon, FolderIcon, RightIcon } from '../ui/icons.tsx'
import { formatTimeAgo } from '../ui/time-ago.ts'
import { words } from '../words/index.ts'
import { toFileLink } from '../navigation/file-link.ts'
import { joinPath } from './paths.ts'

export interface FolderListProps {
  readonly session: SessionKey
  readonly path: string
  readonly view: Extract<FileView, { kind: 'folder' }>
}

export function FolderList({ session, path, view: { entries, more } }: FolderListProps) {
  if (entries.length === 0) return <Empty title={words.files.empty} />
  return (
    <div className="pb-safe min-h-0 flex-1 overflow-y-auto overscroll-contain">
      <ul aria-label={words.files.entries} className="divide-y divide-line bg-raised">
        {entries.map(({ name, kind, link, size, modifiedAt }) => (
          <li key={name}>
            <Link
              // A name may be anything but a path.
              href={toFileLink(session, joinPath(path, `./${name}`))}
              className="flex min-h-13 items-center gap-3 px-4 py-1.5 hover:bg-sunken"
            >
              {kind === 'folder' ? (
                <FolderIcon className="size-5 shrink-0 text-accent" />
              ) : (
                <FileIcon className="size-5 shrink-0 text-faint" />
              )}
              <bdi className="min-w-0 flex-1 truncate text-left">{replaceInvisible(name)}</bdi>
              <span className="shrink-0 text-right text-xs text-dim">
                {link && <span className="block">{words.files.link}</span>}
                {size !== undefined && <span className="block">{words.files.bytes(size)}</span>}
                {modifiedAt !== undefined && <span className="block">{formatTimeAgo(modifiedAt)}</span>}
              </span>
              {kind === 'folder' && <RightIcon className="size-4 shrink-0 text-faint" />}
            </Link>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="px-4 py-3 text-sm text-dim">{words.files.more(more)}</p>}
    </div>
  )
}
