import type { Message, Usage } from '@remora/protocol'
import { getMessageText } from '@remora/protocol/plain'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { routes } from '../../navigation/routes.ts'
import { openReview } from '../../review/open-review.ts'
import { toSessionId } from '../../sessions/merge-page.ts'
import { useSessionList } from '../../sessions/session-list.ts'
import { useAgent } from '../../state/agents.ts'
import { useIsViewer } from '../../state/connection.ts'
import { useLiveSession } from '../../state/live.ts'
import { timelineOf } from '../../state/timeline.ts'
import { toast, toastError } from '../../state/toasts.ts'
import { getAgentName } from '../../ui/agent-mark.tsx'
import {
  BranchIcon,
  CopyIcon,
  EditIcon,
  ReviewIcon,
  SendIcon,
  ShareIcon,
  TerminalIcon,
} from '../../ui/icons.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { words } from '../../words/index.ts'
import { copy } from '../../browser/copy.ts'
import { forkSession } from '../../sessions/fork.ts'
import { formatMessageMarkdown } from '../../share/message-markdown.ts'
import { shareText } from '../../share/share-text.ts'
import { MenuItem } from '../../ui/menu-item.tsx'
import { RawEvent } from './raw-event.tsx'
import { type MenuTarget, closeMessageMenu } from './message-menu-store.ts'
import { SendToSheet, useOtherSessions } from './send-to-sheet.tsx'
import { firstLine } from '../../tool-calls/fields.ts'

/** The actions for one message. */
export function MessageMenuSheet({ session, message, index }: MenuTarget) {
  const [shown, setShown] = useState<'menu' | 'raw' | 'text' | 'send to'>('menu')
  const name = message.role === 'user' ? words.message.yours : words.message.title(getAgentName(message.tool))
  const text = getMessageText(message)
  const isViewer = useIsViewer()
  const close = closeMessageMenu
  const others = useOtherSessions(session)
  const fork = useFork({ session, message, index })

  if (shown === 'raw')
    return (
      <Sheet title={words.message.raw} onClose={close}>
        <RawEvent session={session} index={index} />
      </Sheet>
    )
  if (shown === 'send to')
    return <SendToSheet others={others} text={text || formatMessageMarkdown(message)} onClose={close} />
  if (shown === 'text')
    return (
      <Sheet title={name} onClose={close}>
        <p dir="auto" className="[overflow-wrap:anywhere] whitespace-pre-wrap select-text">
          {text || formatMessageMarkdown(message)}
        </p>
      </Sheet>
    )

  const review = (what: Parameters<typeof openReview>[0]['what']) => (): void => {
    close()
    openReview({ session, what, title: firstLine(text, 80) ?? name })
  }
  const then = (run: () => void) => (): void => {
    close()
    run()
  }
  return (
    <Sheet title={name} onClose={close}>
      <ul className="-mx-3 -mt-3 flex flex-col">
        {text !== '' && (
          <MenuItem icon={<CopyIcon />} label={words.message.copyText} onClick={then(() => copy(text))} />
        )}
        <MenuItem
          icon={<CopyIcon />}
          label={words.message.copyMarkdown}
          onClick={then(() => copy(formatMessageMarkdown(message)))}
        />
        <MenuItem icon={<EditIcon />} label={words.message.select} onClick={() => setShown('text')} />
        <MenuItem
          icon={<ShareIcon />}
          label={words.message.share}
          hint={words.message.shareHint}
          onClick={then(() => shareText(formatMessageMarkdown(message)))}
        />
        {!isViewer && (
          <>
            <MenuItem
              icon={<ReviewIcon />}
              label={words.message.review}
              hint={words.message.reviewHint}
              onClick={review({ kind: 'messages', ids: [message.id] })}
            />
            <MenuItem
              icon={<ReviewIcon />}
              label={words.message.reviewTurn}
              onClick={review({ kind: 'turn', message: message.id })}
            />
            {others.length > 0 && (
              <MenuItem
                icon={<SendIcon />}
                label={words.message.sendTo}
                onClick={() => setShown('send to')}
              />
            )}
            {fork && (
              <MenuItem
                icon={<BranchIcon />}
                label={words.message.fork}
                hint={words.header.forkHint}
                onClick={then(fork)}
              />
            )}
          </>
        )}
        <MenuItem
          icon={<TerminalIcon />}
          label={words.message.raw}
          hint={words.message.rawHint}
          onClick={() => setShown('raw')}
        />
      </ul>
      <Facts message={message} />
    </Sheet>
  )
}

/** Agents fork a whole session, so only the last message offers it. */
function useFork({ session, message }: MenuTarget): (() => void) | undefined {
  const [, go] = useLocation()
  const agent = useAgent(session.agent)
  const live = useLiveSession(session)
  const listedCwd = useSessionList(({ sessions }) => sessions.get(toSessionId(session))?.cwd)
  const cwd = live?.cwd ?? listedCwd
  const isLast = timelineOf(session).messages.findLast(({ parent }) => parent === undefined) === message
  if (agent?.features['fork'] !== true || cwd === undefined || !isLast || live?.state === 'working')
    return undefined
  return () => {
    toast(words.header.forked)
    forkSession({ agent: session.agent, session: live?.session ?? session.session }, cwd).then(
      (copied) => go(routes.session(copied)),
      toastError,
    )
  }
}

/** The time, model and usage of a message. */
function Facts({ message }: { readonly message: Message }) {
  const at = new Date(message.timestamp)
  const when = Number.isNaN(at.getTime()) ? undefined : at.toLocaleString(words.language)
  const facts = [when, message.model, message.usage && formatUsage(message.usage)].filter(Boolean)
  return <p className="mt-3 border-t border-line pt-3 text-xs text-dim">{facts.join(' · ')}</p>
}

function formatUsage(usage: Usage): string {
  const parts = Object.entries(words.message.usage).flatMap(([field, word]) => {
    const count = usage[field as keyof Usage]
    return count ? [`${count.toLocaleString(words.language)} ${word}`] : []
  })
  const { totalTokens } = usage
  const total = totalTokens ? [words.message.tokens(totalTokens.toLocaleString(words.language))] : []
  return [...total, ...parts].join(', ')
}
