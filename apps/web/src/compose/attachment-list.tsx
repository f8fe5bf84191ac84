import { CloseIcon, FileIcon, ImageIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import type { Attachment, Attachments } from './use-attachments.ts'

/** The attached files, with preview, progress and a remove button. */
export function AttachmentList({ attachments }: { readonly attachments: Attachments }) {
  const { list, remove, retry } = attachments
  if (list.length === 0) return null
  return (
    <ul aria-label={words.compose.attached} className="flex gap-2 overflow-x-auto px-3 pt-3 pb-1">
      {list.map((each) => (
        <Chip
          key={each.key}
          attachment={each}
          onRemove={() => remove(each.key)}
          onRetry={() => retry(each.key)}
        />
      ))}
    </ul>
  )
}

function Chip({
  attachment: { name, state, progress, preview, isImage, reason },
  onRemove,
  onRetry,
}: {
  readonly attachment: Attachment
  readonly onRemove: () => void
  readonly onRetry: () => void
}) {
  const Icon = isImage ? ImageIcon : FileIcon
  const percent = Math.round(progress * 100)
  return (
    <li
      data-state={state}
      className={`relative flex h-16 shrink-0 items-center overflow-hidden rounded-xl border bg-raised ${state === 'failed' ? 'border-bad' : 'border-line'}`}
    >
      {preview ? (
        <img
          src={preview}
          alt={name}
          className={`size-16 object-cover ${state === 'ready' ? '' : 'opacity-50'}`}
        />
      ) : (
        <span className="flex max-w-40 items-center gap-2 pl-3 text-sm">
          <Icon className="size-5 shrink-0 text-dim" />
          <span className="truncate">{name}</span>
        </span>
      )}
      {state === 'sending' && (
        <progress
          aria-label={words.compose.sending(name, percent)}
          value={percent}
          max={100}
          className="absolute inset-x-0 bottom-0 h-1 w-full appearance-none accent-accent"
        />
      )}
      {state === 'failed' && (
        <button
          type="button"
          onClick={onRetry}
          aria-label={words.compose.retryFile(name)}
          title={reason}
          className="h-full min-w-11 px-2 text-sm font-medium text-bad"
        >
          {words.app.retry}
        </button>
      )}
      <button
        type="button"
        onClick={onRemove}
        aria-label={words.compose.removeFile(name)}
        className="flex h-full w-11 items-center justify-center text-dim hover:text-ink"
      >
        <CloseIcon className="size-4" />
      </button>
    </li>
  )
}
