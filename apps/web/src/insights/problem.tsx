import { ApiError } from '../wire/api.ts'
import { Button } from '../ui/button.tsx'
import { words } from '../words/index.ts'

/** An error with a retry button. */
export function Problem({ error, again }: { readonly error: unknown; readonly again: () => void }) {
  const { message, hint } = error instanceof ApiError ? error : { message: words.app.failed, hint: undefined }
  return (
    <div role="alert" className="flex flex-col items-start gap-2 rounded-card bg-bad-soft p-4">
      <p className="font-medium">{message}</p>
      {hint && <p className="text-sm text-dim">{hint}</p>}
      <Button onClick={again}>{words.app.retry}</Button>
    </div>
  )
}
