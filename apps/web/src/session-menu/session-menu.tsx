import type { LiveInfo } from '@remora/protocol'
import type { SessionInfo } from '@remora/protocol/api'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { copy } from '../browser/copy.ts'
import { routes } from '../navigation/routes.ts'
import { forkSession } from '../sessions/fork.ts'
import { changeSession } from '../sessions/session-list.ts'
import { SessionMeta } from '../sessions/session-meta.tsx'
import { getSessionTitle } from '../sessions/session-title.ts'
import { formatSessionMarkdown } from '../share/message-markdown.ts'
import { shareFile } from '../share/share-text.ts'
import { useAgent } from '../state/agents.ts'
import { client } from '../state/client.ts'
import { useIsViewer } from '../state/connection.ts'
import { getTimeline } from '../state/timeline.ts'
import { toast, toastError } from '../state/toasts.ts'
import { ConfirmSheet } from '../ui/confirm-sheet.tsx'
import {
  BranchIcon,
  CopyIcon,
  EditIcon,
  EyeOffIcon,
  FolderIcon,
  PinIcon,
  RightIcon,
  ShareIcon,
  StopIcon,
  TerminalIcon,
} from '../ui/icons.tsx'
import { MenuItem } from '../ui/menu-item.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { api, type SessionKey } from '../wire/api.ts'
import { words } from '../words/index.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/text-field.tsx'

export interface SessionMenuProps {
  readonly session: SessionKey
  readonly info: SessionInfo | undefined
  readonly live: LiveInfo | undefined
  /** The open conversation; undefined in the list, where the menu has fewer entries. */
  readonly chat?: { readonly cwd: string | undefined }
  readonly onClose: () => void
}

/** The actions for a session, from its row in the list or from its conversation. */
export function SessionMenu({ session, info, live, chat, onClose }: SessionMenuProps) {
  const [step, setStep] = useState<'menu' | 'rename' | 'end'>('menu')
  const [, go] = useLocation()
  const agent = useAgent(session.agent)
  const isViewer = useIsViewer()
  const running = live && live.state !== 'ended' ? live : undefined
  const title = getSessionTitle(info, live)
  const run = (action: () => void) => (): void => {
    onClose()
    action()
  }
  const change = (notes: Parameters<typeof changeSession>[1]) =>
    run(() => void changeSession(session, notes).catch(toastError))
  const fork = (cwd: string) =>
    run(() => {
      toast(words.header.forked)
      forkSession({ agent: session.agent, session: live?.session ?? session.session }, cwd).then(
        (copied) => go(routes.session(copied)),
        toastError,
      )
    })

  if (step === 'rename' && info) return <RenameSheet info={info} onClose={onClose} />
  if (step === 'end' && running)
    return (
      <ConfirmSheet
        title={words.header.endTitle}
        hint={words.header.endHint}
        action={words.header.end}
        onClose={onClose}
        onConfirm={async () => {
          // Not awaited: the agent may take a while to end, and the list shows its state.
          client
            .command({ agent: running.agent, session: running.session }, { kind: 'end' })
            .catch(toastError)
        }}
      />
    )
  return (
    <Sheet title={title} onClose={onClose}>
      {!chat && info?.archivedAt !== undefined && (
        <p className="mb-3 rounded-xl bg-sunken px-3 py-2 text-sm text-dim">{words.header.archivedHint}</p>
      )}
      <ul className="-mx-2 -my-1 flex flex-col">
        {chat ? (
          <MenuItem
            label={words.header.files}
            icon={<FolderIcon />}
            onClick={() => go(routes.session(session, 'files'))}
          />
        ) : (
          <MenuItem
            label={words.header.open}
            icon={<RightIcon />}
            onClick={run(() => go(routes.session(session)))}
          />
        )}
        {info && !isViewer && (
          <>
            <MenuItem label={words.header.rename} icon={<EditIcon />} onClick={() => setStep('rename')} />
            <MenuItem
              label={info.pinned ? words.header.unpin : words.header.pin}
              icon={<PinIcon />}
              onClick={change({ pinned: !info.pinned })}
            />
            <MenuItem
              label={info.hidden ? words.header.unhide : words.header.hide}
              icon={<EyeOffIcon />}
              onClick={change({ hidden: !info.hidden })}
            />
          </>
        )}
        {chat && (
          <MenuItem
            label={words.header.share}
            hint={words.header.shareHint}
            icon={<ShareIcon />}
            onClick={run(
              () =>
                void shareFile(
                  title,
                  formatSessionMarkdown(title, getTimeline(session).messages, session.agent),
                ),
            )}
          />
        )}
        {agent?.features['fork'] === true && info && chat?.cwd !== undefined && !isViewer && (
          <MenuItem
            label={words.header.fork}
            hint={words.header.forkHint}
            icon={<BranchIcon />}
            onClick={fork(chat.cwd)}
          />
        )}
        <MenuItem
          label={words.header.copyId}
          hint={session.session}
          icon={<CopyIcon />}
          onClick={run(() => copy(session.session))}
        />
        {chat && running?.channel === 'terminal' && (
          <MenuItem
            label={words.header.attach}
            hint={words.header.attachCommand(running.id)}
            icon={<TerminalIcon />}
            onClick={run(() => copy(words.header.attachCommand(running.id)))}
          />
        )}
        {running?.adopted && !isViewer && (
          <MenuItem
            label={words.header.release}
            hint={words.header.releaseHint}
            icon={<TerminalIcon />}
            onClick={run(() => {
              api
                .post('/api/live/:id/release', { params: { id: running.id } })
                .then(() => toast(words.header.released), toastError)
            })}
          />
        )}
        {running && !isViewer && (
          <MenuItem label={words.header.end} icon={<StopIcon />} isBad onClick={() => setStep('end')} />
        )}
      </ul>
      {chat && info && (
        <p className="mt-3 flex border-t border-line pt-3">
          <SessionMeta entry={info} />
        </p>
      )}
    </Sheet>
  )
}

/** Names a session. An empty name restores the agent's own title. */
function RenameSheet({ info, onClose }: { readonly info: SessionInfo; readonly onClose: () => void }) {
  const [name, setName] = useState(info.name ?? '')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    changeSession(info, { name: name.trim() || null }).then(onClose, toastError)
  }
  return (
    <Sheet title={words.header.rename} onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label={words.header.name}
          value={name}
          maxLength={200}
          autoComplete="off"
          // The user asked for this field a moment ago.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          placeholder={getSessionTitle({ title: info.title, firstPrompt: info.firstPrompt })}
          onText={setName}
        />
        <p className="text-sm text-dim">{words.header.nameHint}</p>
        <Button type="submit" variant="primary" wide>
          {words.header.save}
        </Button>
      </form>
    </Sheet>
  )
}
