import { useEffect, useState } from 'react'
import { type SessionKey, api } from '../../wire/api.ts'
import { Busy } from '../../ui/busy.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyIcon } from '../../ui/icons.tsx'
import { words } from '../../words/index.ts'
import { CodeText } from '../../code/code-text.tsx'
import { copy } from '../../browser/copy.ts'
import { pretty } from '../../tool-calls/fields.ts'

const maxShown = 100_000

/** The original records of a message, as the agent wrote them. */
export function RawEvent({ session, index }: { readonly session: SessionKey; readonly index: number }) {
  const [found, setFound] = useState<{ readonly text?: string; readonly error?: string }>({})
  const { agent, session: id } = session
  useEffect(() => {
    const leaving = new AbortController()
    api
      .get('/api/sessions/:agent/:session/messages', {
        params: { agent, session: id },
        query: { before: index + 1, limit: 1, originals: true },
        signal: leaving.signal,
      })
      .then(
        ({ messages }) => {
          const records = messages[0]?._original ?? []
          setFound({ text: records.length === 0 ? '' : pretty(records.length === 1 ? records[0] : records) })
        },
        (error: unknown) => {
          if (!leaving.signal.aborted)
            setFound({ error: error instanceof Error ? error.message : String(error) })
        },
      )
    return () => leaving.abort()
  }, [agent, id, index])

  if (found.error !== undefined) return <p role="alert">{found.error}</p>
  const { text } = found
  if (text === undefined) return <Busy />
  if (text === '') return <p className="text-dim">{words.message.rawNone}</p>
  return (
    <div className="flex flex-col gap-3">
      <div className="overflow-hidden rounded-xl border border-line">
        <CodeText
          code={text.slice(0, maxShown)}
          language="json"
          label={words.message.raw}
          className="max-h-[60dvh] overflow-y-auto bg-code"
        />
      </div>
      {text.length > maxShown && <p className="text-xs text-dim">{words.message.rawCut}</p>}
      <Button onClick={() => copy(text)}>
        <CopyIcon />
        {words.message.copyRaw}
      </Button>
    </div>
  )
}
