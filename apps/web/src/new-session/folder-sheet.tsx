import type { FileView } from '@remora/protocol/api'
import { useEffect, useState } from 'react'
import { getFolderName } from '../sessions/project.ts'
import { Busy } from '../ui/busy.tsx'
import { Button } from '../ui/button.tsx'
import { FolderIcon, RightIcon, UpIcon } from '../ui/icons.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { Switch } from '../ui/switch.tsx'
import { ApiError, api } from '../wire/api.ts'
import { words } from '../words/index.ts'

export interface FolderSheetProps {
  /** The first folder to show. Without one, the roots are listed. */
  readonly start: string | undefined
  readonly roots: readonly string[]
  readonly onChoose: (path: string) => void
  readonly onClose: () => void
}

/** Browses the folders of the computer. */
export function FolderSheet({ start, roots, onChoose, onClose }: FolderSheetProps) {
  const [path, setPath] = useState(start)
  const [showHidden, setShowHidden] = useState(false)
  const { view, error } = useFolder(path)
  return (
    <Sheet
      title={words.newSession.chooseFolder}
      onClose={onClose}
      footer={
        <div className="pb-2">
          <Button
            variant="primary"
            wide
            disabled={!view}
            onClick={() => {
              if (view) onChoose(view.path)
            }}
          >
            <span className="min-w-0 truncate">
              {words.newSession.chooseThis}
              {view && `: ${getFolderName(view.path)}`}
            </span>
          </Button>
        </div>
      }
    >
      <div className="flex min-h-[46dvh] flex-col">
        {path !== undefined && <p className="mb-1 font-mono text-sm break-all text-dim">{path}</p>}
        {error && (
          <div role="alert" className="my-2 rounded-xl bg-bad-soft p-3 text-sm">
            <p className="font-medium break-words text-bad">{error.message}</p>
            {error.hint && <p className="break-words text-dim">{error.hint}</p>}
          </div>
        )}
        {view ? (
          <Entries view={view} showHidden={showHidden} onOpen={setPath} />
        ) : error || path === undefined ? (
          <ul aria-label={words.newSession.roots}>
            {roots.map((root) => (
              <li key={root}>
                <FolderButton name={root} onClick={() => setPath(root)} />
              </li>
            ))}
          </ul>
        ) : (
          <Busy />
        )}
        <div className="mt-auto border-t border-line pt-1">
          <Switch label={words.newSession.showDot} checked={showHidden} onChange={setShowHidden} />
        </div>
      </div>
    </Sheet>
  )
}

type Folder = Extract<FileView, { kind: 'folder' }>

interface EntriesProps {
  readonly view: Folder
  readonly showHidden: boolean
  readonly onOpen: (path: string | undefined) => void
}

function Entries({ view, showHidden, onOpen }: EntriesProps) {
  const folders = view.entries.filter(
    ({ kind, name }) => kind === 'folder' && (showHidden || !name.startsWith('.')),
  )
  return (
    <>
      <ul>
        <li>
          <FolderButton
            name={view.parent === undefined ? words.newSession.roots : words.newSession.up}
            isUp
            onClick={() => onOpen(view.parent)}
          />
        </li>
        {folders.map(({ name }) => (
          <li key={name}>
            <FolderButton name={name} onClick={() => onOpen(`${view.path.replace(/\/$/, '')}/${name}`)} />
          </li>
        ))}
      </ul>
      {folders.length === 0 && <p className="px-2 py-4 text-sm text-dim">{words.newSession.noFolders}</p>}
      {view.more > 0 && (
        <p className="px-2 py-2 text-sm text-dim">{words.newSession.moreEntries(view.more)}</p>
      )}
    </>
  )
}

interface FolderButtonProps {
  readonly name: string
  readonly isUp?: boolean
  readonly onClick: () => void
}

function FolderButton({ name, isUp, onClick }: FolderButtonProps) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex min-h-11 w-full items-center gap-3 rounded-xl px-2 text-left hover:bg-sunken"
    >
      {isUp ? (
        <UpIcon className="size-5 shrink-0 text-faint" />
      ) : (
        <FolderIcon className="size-5 shrink-0 text-accent" />
      )}
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {name}
      </span>
      {!isUp && <RightIcon className="size-4 shrink-0 text-faint" />}
    </button>
  )
}

/** Loads a folder. Returns neither a view nor an error while it is loading. */
function useFolder(path: string | undefined): {
  readonly view: Folder | undefined
  readonly error: ApiError | undefined
} {
  const [state, setState] = useState<{ path?: string; view?: Folder; error?: ApiError }>({})
  useEffect(() => {
    if (path === undefined) return undefined
    const controller = new AbortController()
    api.get('/api/files', { query: { path }, signal: controller.signal }).then(
      (view) =>
        setState(
          view.kind === 'folder'
            ? { path, view }
            : { path, error: new ApiError(400, 'input', words.newSession.notFolder) },
        ),
      (error: unknown) => {
        if (!controller.signal.aborted)
          setState({
            path,
            error: error instanceof ApiError ? error : new ApiError(0, 'unknown', String(error)),
          })
      },
    )
    return () => controller.abort()
  }, [path])
  const isCurrent = state.path === path
  return { view: isCurrent ? state.view : undefined, error: isCurrent ? state.error : undefined }
}
