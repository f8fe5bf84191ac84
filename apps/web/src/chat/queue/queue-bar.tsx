import { type FormEvent, useMemo, useState } from 'react'
import { client } from '../../state/client.ts'
import { useIsViewer } from '../../state/connection.ts'
import { useLive, useLiveSession } from '../../state/live.ts'
import { forgetUnsent, useOutbox } from '../../state/outbox.ts'
import { useTimeline } from '../../state/timeline.ts'
import { toastError } from '../../state/toasts.ts'
import type { SessionKey } from '../../wire/api.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ClipIcon, CloseIcon, EditIcon } from '../../ui/icons.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { words } from '../../words/index.ts'
import { type WaitingPrompt, listWaitingPrompts, withText } from './waiting-prompts.ts'

/** How many prompts are shown at first. */
const shown = 3

/** The prompts that wait for their turn. */
export function QueueBar({ session }: { readonly session: SessionKey }) {
  const { agent, session: id } = session
  const live = useLiveSession(session)
  const commands = useLive(({ commands: all }) => all)
  const unsent = useOutbox(({ unsent: all }) => all)
  const { messages } = useTimeline(session)
  const [isOpen, setOpen] = useState(false)
  const [editing, setEditing] = useState<WaitingPrompt>()
  const liveId = live?.id
  const waiting = useMemo(() => {
    const targets = [{ agent, session: id }, ...(liveId === undefined ? [] : [{ agent, session: liveId }])]
    return listWaitingPrompts(targets, commands.values(), unsent, messages)
  }, [agent, id, liveId, commands, unsent, messages])
  if (waiting.length === 0 && !editing) return null
  const rest = waiting.length - shown
  return (
    <section aria-label={words.queue.title} data-testid="queue" className="border-t border-line bg-raised">
      <ol className="mx-auto max-h-[32dvh] w-full max-w-4xl overflow-y-auto overscroll-contain">
        {(isOpen ? waiting : waiting.slice(0, shown)).map((prompt, index) => (
          <Entry key={prompt.key} prompt={prompt} place={index + 1} onEdit={() => setEditing(prompt)} />
        ))}
      </ol>
      {rest > 0 && (
        <Button variant="quiet" wide onClick={() => setOpen(!isOpen)} className="rounded-none text-sm">
          {isOpen ? words.queue.less : words.queue.more(rest)}
        </Button>
      )}
      {editing && <EditSheet prompt={editing} onClose={() => setEditing(undefined)} />}
    </section>
  )
}

function Entry({
  prompt,
  place,
  onEdit,
}: {
  readonly prompt: WaitingPrompt
  readonly place: number
  readonly onEdit: () => void
}) {
  const { id, client: by, state, text, files } = prompt
  const isViewer = useIsViewer()
  const withdraw = (): void => {
    if (by === undefined) forgetUnsent(id)
    else client.edit({ id, client: by }).catch(toastError)
  }
  return (
    <li
      data-state={state}
      aria-label={words.queue.place(place)}
      className="flex min-h-12 items-center gap-1 py-0.5 pr-2 pl-4"
    >
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm">{text || words.queue.files(files)}</p>
        <p className={`flex items-center gap-2 text-xs ${state === 'unsent' ? 'text-warn' : 'text-dim'}`}>
          {words.queue[state]}
          {by === 'mcp' && <span>{words.queue.byAgent}</span>}
          {files > 0 && (
            <span className="flex items-center gap-1">
              <ClipIcon className="size-3.5" />
              {words.queue.files(files)}
            </span>
          )}
        </p>
      </div>
      {state === 'queued' && !isViewer && (
        <IconButton label={words.queue.edit} onClick={onEdit}>
          <EditIcon />
        </IconButton>
      )}
      {state !== 'sent' && !isViewer && (
        <IconButton label={by === undefined ? words.queue.remove : words.queue.withdraw} onClick={withdraw}>
          <CloseIcon />
        </IconButton>
      )}
    </li>
  )
}

/** Edits a queued prompt. Fails with a message if the prompt has been sent meanwhile. */
function EditSheet({ prompt, onClose }: { readonly prompt: WaitingPrompt; readonly onClose: () => void }) {
  const [text, setText] = useState(prompt.text)
  const content = withText(prompt.content, text)
  // An edited slash command stays one only while it starts with a slash.
  const promptKind = prompt.promptKind === 'slash' && !text.startsWith('/') ? undefined : prompt.promptKind
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (content.length === 0) return
    client
      .edit({ id: prompt.id, client: prompt.client ?? '' }, { kind: 'prompt', content, promptKind })
      .then(onClose, toastError)
  }
  return (
    <Sheet title={words.queue.editTitle} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <textarea
          aria-label={words.queue.editTitle}
          value={text}
          onChange={({ target }) => setText(target.value)}
          rows={6}
          dir="auto"
          className="w-full resize-y rounded-xl border border-line bg-paper px-3 py-2.5"
        />
        <Button type="submit" variant="primary" wide disabled={content.length === 0}>
          {words.queue.save}
        </Button>
      </form>
    </Sheet>
  )
}
