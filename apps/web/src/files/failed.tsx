import { ApiError } from '../wire/api.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { words } from '../words/index.ts'

/** An error with a retry button. */
export function Failed({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const { message, hint } =
    error instanceof ApiError ? error : { message: words.files.failed, hint: String(error) }
  return (
    <Empty title={message} {...(hint === undefined ? {} : { hint })}>
      <Button onClick={onRetry}>{words.app.retry}</Button>
    </Empty>
  )
}
