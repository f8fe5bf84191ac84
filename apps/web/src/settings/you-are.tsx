import { useConnection } from '../state/connection.ts'
import { words } from '../words/index.ts'

/** Whose device this is, and what that person may do. */
export function YouAre() {
  const person = useConnection(({ person: name }) => name)
  const role = useConnection(({ role: now }) => now)
  if (person === undefined || role === undefined) return null
  return (
    <div data-testid="you" className="mx-auto w-full max-w-2xl px-6 pt-4">
      <p className="font-medium break-words [overflow-wrap:anywhere]">
        {words.settings.youAre(person, words.settings.roles[role])}
      </p>
      <p className="text-sm text-dim">{words.settings.roleHints[role]}</p>
    </div>
  )
}
