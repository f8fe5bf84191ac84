import { useEffect } from 'react'
import { Composer } from '../compose/composer.tsx'
import { client } from '../state/client.ts'
import { useLiveSession } from '../state/live.ts'
import type { SessionKey } from '../wire/api.ts'
import { ChatHeader } from './chat-header.tsx'
import { MessageList } from './messages/message-list.tsx'
import { MessageMenuHost } from './message-menu/message-menu.tsx'
import { QueueBar } from './queue/queue-bar.tsx'
import { StatusBar } from './status/status-bar.tsx'
import { toSessionId } from '../sessions/merge-page.ts'
import { useSessionList } from '../sessions/session-list.ts'
import { words } from '../words/index.ts'
import { Link } from 'wouter'
import { routes } from '../navigation/routes.ts'
import { useDemo } from '../demo/start-demo.ts'

/** The conversation of one session. */
export function ChatScreen({ session }: { readonly session: SessionKey }) {
  const { agent, session: id } = session
  const live = useLiveSession(session)
  useEffect(() => client.follow({ agent, session: id }), [agent, id])
  return (
    <section className="flex min-h-0 flex-1 flex-col">
      <ChatHeader session={session} live={live} />
      <ArchivedNote session={session} />
      <MessageList session={session} live={live} />
      <DemoHint session={session} />
      <QueueBar session={session} />
      <StatusBar session={session} live={live} />
      <Composer session={session} live={live} />
      <MessageMenuHost />
    </section>
  )
}

/** Lists the archives that hold earlier parts of a conversation. */
function ArchivedNote({ session }: { readonly session: SessionKey }) {
  const archives = useSessionList(({ sessions }) => sessions.get(toSessionId(session))?.archives)
  if (!archives) return null
  return (
    <div role="note" className="mx-4 mt-2 rounded-xl bg-accent-soft px-4 py-2 text-sm" data-testid="archived">
      <p>{words.chat.archived}</p>
      <ul>
        {archives.map(({ month, machine, file }) => (
          <li key={file} className="break-all">
            {words.chat.archive(month, machine, file)}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The first steps, shown only in the demo session. */
function DemoHint({ session }: { readonly session: SessionKey }) {
  const demo = useDemo(({ live }) => live)
  const live = useLiveSession(session)
  if (!live || live.id !== demo) return null
  const text = words.demo.hints[live.state]
  if (text === undefined) return null
  return (
    <p
      role="note"
      className="mx-4 my-2 max-w-[54rem] rounded-xl bg-accent-soft px-4 py-2 text-sm lg:self-center"
      data-testid="demo-hint"
    >
      {text}
      {live.state === 'idle' && (
        <>
          {' '}
          <Link href={routes.newSession} className="font-medium text-accent underline">
            {words.demo.own}
          </Link>
        </>
      )}
    </p>
  )
}
