import { CopyIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'
import { copy } from '../browser/copy.ts'

/** The hit area is larger than the button, which fits into a narrow bar. */
export function CopyButton({
  text,
  label = words.message.copyCode,
}: {
  readonly text: string
  readonly label?: string
}) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={() => copy(text)}
      className="-my-1 -mr-1 flex size-11 shrink-0 items-center justify-center rounded-lg text-faint hover:text-ink"
    >
      <CopyIcon className="size-4" />
    </button>
  )
}
