import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Link, useSearch } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { api, type SessionKey } from '../wire/api.ts'
import { Busy } from '../ui/busy.tsx'
import { replaceInvisible } from '../diff/replace-invisible.ts'
import { ScreenHeader } from '../ui/screen-header.tsx'
import { words } from '../words/index.ts'
import { LoadError } from '../ui/load-error.tsx'
import { joinPath, splitPath, toCrumbs } from './paths.ts'
import type { FileView } from '@remora/protocol/api'
import { Empty } from '../ui/empty.tsx'
import { FileText } from './file-text.tsx'
import { CopyIcon, FileIcon, FolderIcon, RightIcon } from '../ui/icons.tsx'
import { formatTimeAgo } from '../ui/time-ago.ts'
import { toFileLink } from '../navigation/file-link.ts'
import { copy } from '../browser/copy.ts'
import { IconButton } from '../ui/button.tsx'
import { useLiveSession } from '../state/live.ts'
import { useConnection } from '../state/connection.ts'
import { pageLines } from './lines.ts'

/** Browses the files of the session's folder. */
export function FilesScreen({ session }: { readonly session: SessionKey }) {
  const search = useSearch()
  const query = useMemo(() => new URLSearchParams(search), [search])
  const { folder, error } = useFolder(session)
  const wanted = query.get('path') ?? ''
  const isAbsolute = wanted.startsWith('/')
  const path = isAbsolute ? wanted : folder ? joinPath(folder, wanted) : undefined
  const line = Number(query.get('line')) || undefined
  const file = useFile(path, line)
  const failure = isAbsolute ? file.error : (error ?? file.error)
  const name = path === undefined ? '' : splitPath(path.replace(/\/+$/, ''))[1]
  return (
    <section className="flex min-h-0 flex-1 flex-col">
      <ScreenHeader
        title={name === '' ? words.files.title : <bdi>{replaceInvisible(name)}</bdi>}
        back={routes.session(session, 'changes')}
      />
      {path !== undefined && <Crumbs session={session} folder={folder ?? ''} path={path} />}
      {file.view ? (
        <FileBody key={file.view.path} session={session} path={path!} view={file.view} line={line} />
      ) : failure === undefined ? (
        <Busy />
      ) : (
        <LoadError error={failure} onRetry={file.reload} />
      )}
    </section>
  )
}

interface FileBodyProps {
  readonly session: SessionKey
  readonly path: string
  readonly view: FileView
  readonly line: number | undefined
}

/** A folder, text, image or other file. */
function FileBody({ session, path, view, line }: FileBodyProps) {
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

interface FolderListProps {
  readonly session: SessionKey
  readonly path: string
  readonly view: Extract<FileView, { kind: 'folder' }>
}

function FolderList({ session, path, view: { entries, more } }: FolderListProps) {
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

interface CrumbsProps {
  readonly session: SessionKey
  readonly folder: string
  readonly path: string
}

/** The path as links to each folder. */
function Crumbs({ session, folder, path }: CrumbsProps) {
  const list = useRef<HTMLOListElement>(null)
  // The end of the path is the current folder.
  useEffect(() => {
    if (list.current) list.current.scrollLeft = list.current.scrollWidth
  }, [path])
  const crumbs = toCrumbs(folder, path)
  return (
    <nav aria-label={words.files.where} className="flex items-center border-b border-line bg-raised pr-1">
      <ol ref={list} className="flex min-w-0 flex-1 overflow-x-auto px-2 text-sm whitespace-nowrap">
        {crumbs.map(({ name, path: to }, index) => (
          <li key={to} className="flex items-center text-faint">
            {index > 0 && <span aria-hidden="true">/</span>}
            <Link
              href={toFileLink(session, to)}
              aria-current={index === crumbs.length - 1 ? 'page' : undefined}
              className="flex min-h-11 min-w-8 items-center justify-center rounded-lg px-1.5 text-dim hover:bg-sunken aria-[current=page]:font-medium aria-[current=page]:text-ink"
            >
              <bdi>{replaceInvisible(name)}</bdi>
            </Link>
          </li>
        ))}
      </ol>
      <IconButton label={words.files.copyPath} onClick={() => copy(path)}>
        <CopyIcon />
      </IconButton>
    </nav>
  )
}

/** The working folder of a session; empty if unknown. */
function useFolder(session: SessionKey): { readonly folder?: string; readonly error?: unknown } {
  const live = useLiveSession(session)?.cwd
  const [found, setFound] = useState<{ readonly folder?: string; readonly error?: unknown }>({})
  const { agent, session: id } = session
  useEffect(() => {
    if (live !== undefined) return undefined
    const over = new AbortController()
    api.get('/api/sessions/:agent/:session', { params: { agent, session: id }, signal: over.signal }).then(
      ({ cwd = '' }) => setFound({ folder: cwd }),
      (error: unknown) => {
        if (!over.signal.aborted) setFound({ error })
      },
    )
    return () => over.abort()
  }, [agent, id, live])
  return live === undefined ? found : { folder: live }
}

interface FileState {
  readonly view?: FileView
  readonly error?: unknown
  readonly reload: () => void
}

/** A folder, or the page of a file that contains the line. */
function useFile(path: string | undefined, line: number | undefined): FileState {
  const [state, setState] = useState<{ of?: string; view?: FileView; error?: unknown }>({})
  const [count, setCount] = useState(0)
  const reload = useCallback(() => setCount((before) => before + 1), [])
  const isOnline = useConnection((connection) => connection.state === 'online')
  const from = line === undefined ? 1 : line - ((line - 1) % pageLines)
  useEffect(() => {
    if (path === undefined) return undefined
    const over = new AbortController()
    api.get('/api/files', { query: { path, from, count: pageLines }, signal: over.signal }).then(
      (view) => setState({ of: path, view }),
      (error: unknown) => {
        if (over.signal.aborted) return
        // A shown file stays when the connection is lost.
        setState((before) => (before.of === path && before.view ? before : { of: path, error }))
      },
    )
    return () => over.abort()
  }, [path, from, count, isOnline])
  return state.of === path ? { ...state, reload } : { reload }
}
