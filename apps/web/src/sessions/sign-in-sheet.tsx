import { formatMarked } from '@remora/protocol/plain'
import { useAgentNames } from '../state/agents.ts'
import { KeyIcon } from '../ui/icons.tsx'
import { MarkedText } from '../ui/marked-text.tsx'
import { MenuItem } from '../ui/menu-item.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { words } from '../words/index.ts'
import { useSignIn } from './start-live.ts'

/** Offers the ways to sign in to an agent that demands it. */
export function SignInSheet() {
  const getAgentName = useAgentNames()
  const demand = useSignIn(({ demand }) => demand)
  if (!demand) return null
  const { agent, reason, methods, choose } = demand
  return (
    <Sheet title={words.newSession.signIn(getAgentName(agent))} onClose={() => choose(undefined)}>
      <p className="break-words">
        <MarkedText text={reason} />
      </p>
      <p className="mt-1 text-sm text-dim">{words.newSession.signInHint}</p>
      <ul className="mt-3">
        {methods.map(({ id, name, description }) => (
          <MenuItem
            key={id}
            icon={<KeyIcon />}
            label={formatMarked(name, 'line')}
            hint={description === undefined ? undefined : formatMarked(description, 'line')}
            onClick={() => choose(id)}
          />
        ))}
      </ul>
    </Sheet>
  )
}
