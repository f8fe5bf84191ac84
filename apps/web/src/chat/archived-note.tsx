import { sessionId } from '../sessions/merge-page.ts'
import { useSessionList } from '../sessions/session-list.ts'
import type { SessionKey } from '../wire/api.ts'
import { words } from '../words/index.ts'

/** Says where the rest of a conversation lies, if a part of it was archived. @example <ArchivedNote session={key} /> */
export function ArchivedNote({ session }: { readonly session: SessionKey }) {
  const archives = useSessionList(({ sessions }) => sessions.get(sessionId(session))?.archives)
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
