import type { FileView } from '@remora/protocol/api'
import type { SessionKey } from '../wire/api.ts'
import { Empty } from '../ui/empty.tsx'
import { replaceInvisible } from '../diff/replace-invisible.ts'
import { words } from '../words/index.ts'
import { FileText } from './file-text.tsx'
import { FolderList } from './folder-list.tsx'

export interface FileBodyProps {
  readonly session: SessionKey
  readonly path: string
  readonly view: FileView
  readonly line: number | undefined
}

/** A folder, text, image or other file. */
export function FileBody({ session, path, view, line }: FileBodyProps) {
  const raw = `/api/files/raw?path=${encodeURIComponent(path)}`
  if (view.kind === 'folder') return <FolderList session={session} path={path} view={view} />
  if (view.kind === 'text') return <FileText path={path} view={view} line={line} />
  const size = `${view.mediaType ?? ''} ${words.files.bytes(view.size)}`.trim()
  if (view.kind === 'image')
    return (
      <figure className="flex min-h-0 flex-1 flex-col items-center gap-3 overflow-auto p-4">
        <img
          src={raw}
          alt={replaceInvisible(view.name)}
          className="max-w-full rounded-lg border border-line bg-[repeating-conic-gradient(var(--sunken)_0_25%,var(--raised)_0_50%)] bg-size-[1rem_1rem] object-contain"
        />
        <figcaption className="text-sm text-dim">{size}</figcaption>
      </figure>
    )
  return (
    <Empty title={words.files.binary} hint={size}>
      <a
        href={raw}
        download={view.name}
        className="flex min-h-11 items-center rounded-xl border border-line bg-raised px-4 font-medium hover:bg-sunken"
      >
        {words.files.download}
      </a>
    </Empty>
  )
}
