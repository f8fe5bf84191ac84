import type { LiveInfo } from '@remora/protocol'
import type { SessionInfo } from '@remora/protocol/api'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import { routes } from '../app/routes.ts'
import { copy } from '../chat/code/copy.ts'
import { useIsViewer } from '../state/connection.ts'
import { toastError } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { CloseIcon, CopyIcon, EditIcon, EyeOffIcon, PinIcon, RightIcon, StopIcon } from '../ui/icons.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { api } from '../wire/api.ts'
import { words } from '../words/index.ts'
import { changeSession } from './session-list.ts'
import { sessionTitle } from './session-title.ts'

export interface SessionMenuProps {
  readonly entry: SessionInfo | undefined
  readonly live: LiveInfo | undefined
  readonly onClose: () => void
}

/** All that can be done with a session without opening it. */
export function SessionMenu({ entry, live, onClose }: SessionMenuProps) {
  const [step, setStep] = useState<'menu' | 'rename' | 'end'>('menu')
  const [, go] = useLocation()
  const isViewer = useIsViewer()
  const key = entry ?? live
  if (!key) return null
  const done = (work: Promise<unknown>): void => {
    work.catch(toastError)
    onClose()
  }
  if (step === 'rename' && entry)
    return (
      <RenameSheet entry={entry} onClose={onClose} onSave={(name) => done(changeSession(entry, { name }))} />
    )
  if (step === 'end' && live)
    return (
      <Sheet
        title={words.sessions.endAsk}
        onClose={onClose}
        footer={
          <div className="flex gap-6 pb-2">
            <Button wide onClick={onClose}>
              {words.app.cancel}
            </Button>
            <Button look="danger" wide onClick={() => done(api.post('/api/live/:id/end', { params: live }))}>
              {words.sessions.end}
            </Button>
          </div>
        }
      >
        <p className="font-medium break-words">{sessionTitle(entry, live)}</p>
        <p className="mt-1 text-dim">{words.sessions.endHint}</p>
      </Sheet>
    )
  return (
    <Sheet title={sessionTitle(entry, live)} onClose={onClose}>
      <div className="-mx-2 flex flex-col">
        {entry?.archivedAt !== undefined && (
          <p className="mx-2 mb-2 rounded-xl bg-sunken px-3 py-2 text-sm text-dim">
            {words.sessions.archivedHint}
          </p>
        )}
        <Item
          icon={<RightIcon />}
          onClick={() => {
            onClose()
            go(routes.session(key))
          }}
        >
          {words.sessions.open}
        </Item>
        {entry && !isViewer && (
          <>
            <Item icon={<EditIcon />} onClick={() => setStep('rename')}>
              {words.sessions.rename}
            </Item>
            <Item icon={<PinIcon />} onClick={() => done(changeSession(entry, { pinned: !entry.pinned }))}>
              {entry.pinned ? words.sessions.unpin : words.sessions.pin}
            </Item>
            <Item icon={<EyeOffIcon />} onClick={() => done(changeSession(entry, { hidden: !entry.hidden }))}>
              {entry.hidden ? words.sessions.unhide : words.sessions.hide}
            </Item>
          </>
        )}
        <Item
          icon={<CopyIcon />}
          onClick={() => {
            copy(key.session)
            onClose()
          }}
        >
          {words.sessions.copyId}
        </Item>
        {live?.adopted && !isViewer && (
          <Item
            icon={<CloseIcon />}
            hint={words.sessions.releaseHint}
            onClick={() => done(api.post('/api/live/:id/release', { params: live }))}
          >
            {words.sessions.release}
          </Item>
        )}
        {live && live.state !== 'ended' && !isViewer && (
          <Item icon={<StopIcon />} isGrave onClick={() => setStep('end')}>
            {words.sessions.end}
          </Item>
        )}
      </div>
    </Sheet>
  )
}

interface ItemProps {
  readonly icon: ReactNode
  readonly onClick: () => void
  readonly isGrave?: boolean
  readonly hint?: string
  readonly children: string
}

function Item({ icon, onClick, isGrave, hint, children }: ItemProps) {
  return (
    <button
      type="button"
      onClick={onClick}
      className={classNames(
        'flex min-h-12 items-center gap-3 rounded-xl px-3 text-left hover:bg-sunken',
        isGrave ? 'mt-2 text-bad' : 'text-ink',
      )}
    >
      <span className={isGrave ? 'text-bad' : 'text-dim'}>{icon}</span>
      <span className="min-w-0 flex-1">
        {children}
        {hint && <span className="block text-sm text-dim">{hint}</span>}
      </span>
    </button>
  )
}

interface RenameProps {
  readonly entry: SessionInfo
  readonly onClose: () => void
  readonly onSave: (name: string | null) => void
}

function RenameSheet({ entry, onClose, onSave }: RenameProps) {
  const [name, setName] = useState(entry.name ?? '')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onSave(name.trim() === '' ? null : name.trim())
  }
  return (
    <Sheet title={words.sessions.rename} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <label className="flex flex-col gap-1.5">
          <span className="text-sm font-medium">{words.sessions.name}</span>
          <input
            value={name}
            maxLength={200}
            // It was asked for a moment ago, by the one who types.
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            placeholder={sessionTitle({ title: entry.title, firstPrompt: entry.firstPrompt })}
            onChange={({ target }) => setName(target.value)}
            className="min-h-12 rounded-xl border border-line bg-paper px-4"
          />
        </label>
        <p className="text-sm text-dim">{words.sessions.nameHint}</p>
        <Button type="submit" look="primary" wide>
          {words.sessions.save}
        </Button>
      </form>
    </Sheet>
  )
}
