import { useEffect } from 'react'
import { Composer } from '../compose/composer.tsx'
import { DemoHint } from '../demo/demo-hint.tsx'
import { client } from '../state/client.ts'
import { useLiveOf } from '../state/live.ts'
import type { SessionKey } from '../wire/api.ts'
import { ArchivedNote } from './archived-note.tsx'
import { ChatHeader } from './chat-header.tsx'
import { MessageList } from './messages/message-list.tsx'
import { MessageMenuHost } from './message-menu/message-menu.tsx'
import { QueueBar } from './queue/queue-bar.tsx'
import { StatusBar } from './status/status-bar.tsx'

/** One conversation: what was said, what is being said, and a place to write. */
export function ChatScreen({ session }: { readonly session: SessionKey }) {
  const { agent, session: id } = session
  const live = useLiveOf(session)
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
