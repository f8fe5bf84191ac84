import type { LiveInfo, Message, Usage } from '@remora/protocol'
import { getMessageText } from '@remora/protocol/plain'
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { routes } from '../../navigation/routes.ts'
import { openReview } from '../../review/open-review.ts'
import { toSessionId } from '../../sessions/merge-page.ts'
import { useSessionList } from '../../sessions/session-list.ts'
import { useAgent, useAgentNames } from '../../state/agents.ts'
import { useIsViewer } from '../../state/connection.ts'
import { useLive, useLiveSession } from '../../state/live.ts'
import { useTimeline } from '../../state/timeline.ts'
import { toast, toastError } from '../../state/toasts.ts'
import { AgentMark } from '../../ui/agent-mark.tsx'
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
import { describeMode } from '../../ui/mode-name.tsx'
import { MenuItem } from '../../ui/menu-item.tsx'
import { closeMessageMenu, type MenuTarget } from './message-menu-store.ts'
import { firstLine, pretty } from '../../tool-calls/fields.ts'
import { api, type SessionKey } from '../../wire/api.ts'
import { Busy } from '../../ui/busy.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeText } from '../../code/code-text.tsx'
import { getFolderName } from '../../sessions/project.ts'
import { getSessionTitle } from '../../sessions/session-title.ts'
import { readDraft, writeDraft } from '../../state/drafts.ts'

/** The actions for one message. */
export function MessageMenuSheet({ session, message, index }: MenuTarget) {
  const [shown, setShown] = useState<'menu' | 'raw' | 'text' | 'send to'>('menu')
  const getAgentName = useAgentNames()
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
  // By id, because a message is replaced when more of it arrives.
  const last = useTimeline(session).messages.findLast(({ parent }) => parent === undefined)
  const isLast = last?.id === message.id
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

const maxShown = 100_000

/** The original records of a message, as the agent wrote them. */
function RawEvent({ session, index }: { readonly session: SessionKey; readonly index: number }) {
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

/** The other live sessions. @example const others = useOtherSessions(session) */
function useOtherSessions({ agent, session }: SessionKey): readonly LiveInfo[] {
  const live = useLive((store) => store.live)
  return [...live.values()].filter(
    (each) => each.state !== 'ended' && !(each.agent === agent && [each.id, each.session].includes(session)),
  )
}

/** Chooses a session and adds the text to its draft. Nothing is sent. */
function SendToSheet({
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
            hint={[
              getFolderName(live.worktree?.of ?? live.cwd),
              words.states[live.state],
              describeMode(live).label,
            ].join(' · ')}
            onClick={() => choose(live)}
          />
        ))}
      </ul>
    </Sheet>
  )
}
