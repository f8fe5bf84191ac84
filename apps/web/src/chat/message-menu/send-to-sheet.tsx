import type { LiveInfo } from '@remora/protocol'
import { useLocation } from 'wouter'
import { routes } from '../../navigation/routes.ts'
import { getFolderName } from '../../sessions/project.ts'
import { toSessionId } from '../../sessions/merge-page.ts'
import { useSessionList } from '../../sessions/session-list.ts'
import { getSessionTitle } from '../../sessions/session-title.ts'
import { readDraft, writeDraft } from '../../state/drafts.ts'
import { useLive } from '../../state/live.ts'
import { AgentMark } from '../../ui/agent-mark.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import type { SessionKey } from '../../wire/api.ts'
import { words } from '../../words/index.ts'
import { MenuItem } from '../../ui/menu-item.tsx'

/** The other live sessions. @example const others = useOtherSessions(session) */
export function useOtherSessions({ agent, session }: SessionKey): readonly LiveInfo[] {
  const live = useLive((store) => store.live)
  return [...live.values()].filter(
    (each) => each.state !== 'ended' && !(each.agent === agent && [each.id, each.session].includes(session)),
  )
}

/** Chooses a session and adds the text to its draft. Nothing is sent. */
export function SendToSheet({
  others,
  text,
  onClose,
}: {
  readonly others: readonly LiveInfo[]
  readonly text: string
  readonly onClose: () => void
}) {
  const [, go] = useLocation()
  const sessions = useSessionList((list) => list.sessions)
  const choose = ({ agent, session }: LiveInfo): void => {
    const draft = readDraft({ agent, session })
    writeDraft({ agent, session }, { ...draft, text: [draft.text, text].filter(Boolean).join('\n\n') })
    onClose()
    go(routes.session({ agent, session }))
  }
  return (
    <Sheet title={words.message.sendTo} onClose={onClose}>
      <p className="pb-2 text-sm text-dim">{words.message.sendToHint}</p>
      <ul className="-mx-3 flex flex-col">
        {others.map((live) => (
          <MenuItem
            key={live.id}
            icon={<AgentMark agent={live.agent} />}
            label={getSessionTitle(sessions.get(toSessionId(live)), live)}
            hint={`${getFolderName(live.worktree?.of ?? live.cwd)} · ${words.states[live.state]}`}
            onClick={() => choose(live)}
          />
        ))}
      </ul>
    </Sheet>
  )
}
