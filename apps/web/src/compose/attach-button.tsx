import { type ReactNode, useRef, useState } from 'react'
import { IconButton } from '../ui/button.tsx'
import { CameraIcon, FileIcon, ImageIcon, PlusIcon } from '../ui/icons.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { words } from '../words/index.ts'

const pictures = 'image/png,image/jpeg,image/gif,image/webp'
const documents = `${pictures},application/pdf,text/*,.md,.json,.csv,.log,.txt`

/** Opens a sheet with the sources of a file and the limits. */
export function AttachButton({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) {
  const [isOpen, setOpen] = useState(false)
  const take = (files: FileList | null): void => {
    setOpen(false)
    if (files) onFiles([...files])
  }
  return (
    <>
      <IconButton label={words.compose.attach} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <PlusIcon className="size-6" />
      </IconButton>
      {isOpen && (
        <Sheet title={words.compose.attachTitle} onClose={() => setOpen(false)}>
          <div className="grid grid-cols-3 gap-3">
            <Source label={words.compose.camera} accept="image/*" capture onFiles={take}>
              <CameraIcon className="size-6" />
            </Source>
            <Source label={words.compose.photo} accept={pictures} onFiles={take}>
              <ImageIcon className="size-6" />
            </Source>
            <Source label={words.compose.file} accept={documents} onFiles={take}>
              <FileIcon className="size-6" />
            </Source>
          </div>
          <p className="pt-4 text-sm text-dim">{words.compose.attachHint}</p>
        </Sheet>
      )}
    </>
  )
}

function Source({
  label,
  accept,
  capture,
  onFiles,
  children,
}: {
  readonly label: string
  readonly accept: string
  readonly capture?: boolean
  readonly onFiles: (files: FileList | null) => void
  readonly children: ReactNode
}) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button
        type="button"
        onClick={() => input.current?.click()}
        className="flex min-h-24 flex-col items-center justify-center gap-2 rounded-card border border-line bg-paper px-2 text-center text-sm hover:bg-sunken"
      >
        <span className="text-accent">{children}</span>
        {label}
      </button>
      <input
        ref={input}
        type="file"
        accept={accept}
        aria-label={label}
        multiple={!capture}
        capture={capture ? 'environment' : undefined}
        onChange={({ target }) => onFiles(target.files)}
        className="hidden"
      />
    </>
  )
}
