import { useMemo, useState } from 'react'
import { getFolderName, shortPath } from '../sessions/project.ts'
import { useSessionList } from '../sessions/session-list.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { FolderIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { fullPath, listRecentFolders } from './choices.ts'
import { fieldStyle } from './form-field.tsx'
import { FolderSheet } from './folder-sheet.tsx'

export interface FolderFieldProps {
  readonly value: string
  readonly onChange: (path: string) => void
  /** The folders of the server, once loaded. */
  readonly places: { readonly roots: readonly string[]; readonly home: string } | undefined
}

/** A recent folder, or any other. */
export function FolderField({ value, onChange, places }: FolderFieldProps) {
  const sessions = useSessionList((list) => list.sessions)
  const recent = useMemo(() => listRecentFolders(sessions.values()), [sessions])
  const [isOpen, setOpen] = useState(false)
  return (
    <div>
      <label htmlFor="folder" className="mb-1.5 block text-sm font-semibold text-dim">
        {words.newSession.folder}
      </label>
      <div className="flex gap-2">
        <input
          id="folder"
          value={value}
          onChange={({ target }) => onChange(target.value)}
          placeholder={words.newSession.folderPlaceholder}
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          maxLength={4096}
          className={`${fieldStyle} font-mono`}
        />
        <Button onClick={() => setOpen(true)} className="shrink-0">
          <FolderIcon />
          {words.newSession.browse}
        </Button>
      </div>
      {recent.length > 0 && (
        <div role="group" aria-label={words.newSession.recent} className="mt-2 flex flex-wrap gap-2">
          {recent.map((path) => (
            <button
              key={path}
              type="button"
              title={path}
              aria-pressed={value === path}
              onClick={() => onChange(path)}
              className={classNames(
                'flex min-h-11 max-w-full min-w-0 items-baseline gap-2 rounded-xl border px-3 py-2.5 text-sm',
                value === path ? 'border-accent bg-accent-soft' : 'border-line bg-raised hover:bg-sunken',
              )}
            >
              <span dir="auto" className="max-w-48 shrink-0 truncate font-medium">
                {getFolderName(path)}
              </span>
              <span className="min-w-0 truncate text-xs text-faint">{shortPath(path)}</span>
            </button>
          ))}
        </div>
      )}
      {isOpen && (
        <FolderSheet
          start={fullPath(value, places?.home) || places?.home}
          roots={places?.roots ?? []}
          onChoose={(path) => {
            onChange(path)
            setOpen(false)
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  )
}
