import { Button } from '../ui/button.tsx'
import { words } from '../words/index.ts'

/** Says that nobody hears what is written here, and how that is changed. */
export function EndedNote({
  text,
  isStarting,
  onContinue,
}: {
  readonly text: string
  readonly isStarting: boolean
  readonly onContinue: (() => void) | undefined
}) {
  return (
    <div className="border-b border-line last:border-b-0">
      <div className="mx-auto flex w-full max-w-4xl items-center gap-3 px-4 py-1.5">
        <p role="status" className="min-w-0 flex-1 text-sm text-dim">
          {isStarting ? words.compose.continuing : text}
        </p>
        {onContinue && (
          <Button onClick={onContinue} disabled={isStarting}>
            {words.compose.continue}
          </Button>
        )}
      </div>
    </div>
  )
}
