import { ApiError } from '../wire/api.ts'
import { words } from '../words/index.ts'
import { Button } from './button.tsx'
import { Empty } from './empty.tsx'

export interface LoadErrorProps {
  readonly error: unknown
  readonly onRetry: () => void
  /** A box among other content instead of an empty screen. */
  readonly isInline?: boolean
}

/** An error with a retry button. */
export function LoadError({ error, onRetry, isInline = false }: LoadErrorProps) {
  const { message, hint } =
    error instanceof ApiError ? error : { message: words.app.failed, hint: String(error) }
  const retry = <Button onClick={onRetry}>{words.app.retry}</Button>
  if (!isInline)
    return (
      <Empty title={message} hint={hint}>
        {retry}
      </Empty>
    )
  return (
    <div role="alert" className="flex flex-col items-start gap-2 rounded-card bg-bad-soft p-4">
      <p className="font-medium">{message}</p>
      {hint && <p className="text-sm text-dim">{hint}</p>}
      {retry}
    </div>
  )
}
