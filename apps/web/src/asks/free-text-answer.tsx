import { Button } from '../ui/button.tsx'
import { words } from '../words/index.ts'
import { keepText, useAskView } from './open-ask.ts'

export interface FreeTextAnswerProps {
  /** The key of the stored draft. */
  readonly id: string
  readonly isQuestion: boolean
  readonly isInert: boolean
  readonly onSend: (text: string) => void
}

/** A free-text answer. The draft survives closing the sheet. */
export function FreeTextAnswer({ id, isQuestion, isInert, onSend }: FreeTextAnswerProps) {
  const text = useAskView(({ texts }) => texts.get(id) ?? '')
  const label = isQuestion ? words.asks.freeText : words.asks.instead
  const send = (): void => {
    if (text.trim() !== '' && !isInert) onSend(text)
  }
  return (
    <form
      className="flex flex-col gap-2 pt-4"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label className="flex flex-col gap-1">
        <span className="text-sm text-dim">{label}</span>
        <textarea
          value={text}
          rows={2}
          maxLength={100_000}
          dir="auto"
          onChange={({ target }) => keepText(id, target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) send()
          }}
          className="min-h-14 resize-y rounded-xl border border-line bg-paper px-3 py-2.5"
        />
      </label>
      <Button type="submit" disabled={isInert || text.trim() === ''} className="min-h-14 self-end px-6">
        {words.asks.sendText}
      </Button>
    </form>
  )
}
