import type { LiveInfo } from '@remora/protocol'
import type { SessionInfo } from '@remora/protocol/api'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { routes } from '../app/routes.ts'
import { changeSession } from '../sessions/session-list.ts'
import { SessionMeta } from '../sessions/session-meta.tsx'
import { sessionTitle } from '../sessions/session-title.ts'
import { useAgent } from '../state/agents.ts'
import { client } from '../state/client.ts'
import { useIsViewer } from '../state/connection.ts'
import { timelineOf } from '../state/timeline.ts'
import { toast, toastError } from '../state/toasts.ts'
import { agentName } from '../ui/agent-mark.tsx'
import {
  BranchIcon,
  CopyIcon,
  EditIcon,
  EyeOffIcon,
  FolderIcon,
  PinIcon,
  ShareIcon,
  StopIcon,
  TerminalIcon,
} from '../ui/icons.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { type SessionKey, api } from '../wire/api.ts'
import { words } from '../words/index.ts'
import { copy } from './code/copy.ts'
import { forkSession } from './fork.ts'
import { MenuItem } from './menu-item.tsx'
import { EndSession } from './session-menu-end.tsx'
import { RenameForm } from './session-menu-rename.tsx'
import { sessionMarkdown } from './session-markdown.ts'
import { shareText } from './share-text.ts'

/** Everything that can be done with a session as a whole. */
export function SessionMenu({
  session,
  live,
  info,
  cwd,
  onClose,
}: {
  readonly session: SessionKey
  readonly live: LiveInfo | undefined
  readonly info: SessionInfo | undefined
  readonly cwd: string | undefined
  readonly onClose: () => void
}) {
  const [part, setPart] = useState<'menu' | 'rename' | 'end'>('menu')
  const [, go] = useLocation()
  const agent = useAgent(session.agent)
  const isViewer = useIsViewer()
  const going = live && live.state !== 'ended' ? live : undefined
  const title = sessionTitle(info, live)
  const isPinned = info?.pinned ?? false
  const isHidden = info?.hidden ?? false
  const change = (notes: Parameters<typeof changeSession>[1]): void => {
    onClose()
    changeSession(session, notes).catch(toastError)
  }
  const fork = (): void => {
    onClose()
    toast(words.header.forked)
    forkSession({ agent: session.agent, session: live?.session ?? session.session }, cwd ?? '').then(
      (copied) => go(routes.session(copied)),
      toastError,
    )
  }
  const share = (): void => {
    onClose()
    const names = { you: words.chat.you, agent: agentName(session.agent), cut: words.header.cut }
    void shareText(title, sessionMarkdown(title, timelineOf(session).messages, names))
  }

  if (part === 'rename') return <RenameForm session={session} name={info?.name ?? ''} onClose={onClose} />
  if (part === 'end' && going)
    return (
      <EndSession
        onClose={onClose}
        onEnd={() => {
          onClose()
          client.command({ agent: going.agent, session: going.session }, { kind: 'end' }).catch(toastError)
        }}
      />
    )
  return (
    <Sheet title={title} onClose={onClose}>
      <ul className="-mx-2 -my-1 flex flex-col">
        <MenuItem
          label={words.header.files}
          icon={<FolderIcon />}
          onClick={() => go(routes.session(session, 'files'))}
        />
        {info && !isViewer && (
          <>
            <MenuItem label={words.header.rename} icon={<EditIcon />} onClick={() => setPart('rename')} />
            <MenuItem
              label={isPinned ? words.header.unpin : words.header.pin}
              icon={<PinIcon />}
              onClick={() => change({ pinned: !isPinned })}
            />
            <MenuItem
              label={isHidden ? words.header.unhide : words.header.hide}
              icon={<EyeOffIcon />}
              onClick={() => change({ hidden: !isHidden })}
            />
          </>
        )}
        <MenuItem
          label={words.header.share}
          hint={words.header.shareHint}
          icon={<ShareIcon />}
          onClick={share}
        />
        {agent?.features['fork'] === true && info && cwd !== undefined && !isViewer && (
          <MenuItem
            label={words.header.fork}
            hint={words.header.forkHint}
            icon={<BranchIcon />}
            onClick={fork}
          />
        )}
        <MenuItem
          label={words.header.copyId}
          hint={session.session}
          icon={<CopyIcon />}
          onClick={() => {
            onClose()
            copy(session.session)
          }}
        />
        {going?.channel === 'terminal' && (
          <MenuItem
            label={words.header.attach}
            hint={words.header.attachCommand(going.id)}
            icon={<TerminalIcon />}
            onClick={() => {
              onClose()
              copy(words.header.attachCommand(going.id))
            }}
          />
        )}
        {going?.adopted && !isViewer && (
          <MenuItem
            label={words.header.release}
            hint={words.header.releaseHint}
            icon={<TerminalIcon />}
            onClick={() => {
              onClose()
              api
                .post('/api/live/:id/release', { params: { id: going.id } })
                .then(() => toast(words.header.released), toastError)
            }}
          />
        )}
        {going && !isViewer && (
          <MenuItem label={words.header.end} icon={<StopIcon />} isBad onClick={() => setPart('end')} />
        )}
      </ul>
      {info && (
        <p className="mt-3 flex border-t border-line pt-3">
          <SessionMeta entry={info} />
        </p>
      )}
    </Sheet>
  )
}
