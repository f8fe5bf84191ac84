import { RemoraError } from '@remora/protocol/plain'
import type { Choices } from './choices.ts'
import { type Permissions, isAllow } from './permissions/rules.ts'
import type { SessionModes } from './session-modes.ts'

export interface ModeGuard {
  readonly title: string
  readonly permissions: Permissions | undefined
  /** The mode that the user's configuration of the agent sets. */
  readonly configured?: string | undefined
}

/**
 * The agent's id of the mode to set before the first prompt; undefined to leave the session as it is. An agent that starts
 * in a mode in which it runs tools without asking is switched to its asking mode, unless the caller chose that mode.
 */
export function chooseStartMode(
  { title, permissions, configured }: ModeGuard,
  modes: SessionModes,
  { current, offered }: Choices,
  wanted: string | undefined,
): string | undefined {
  const ids = offered.map(({ id }) => id)
  if (wanted !== undefined) {
    const id = modes.toId(wanted)
    if (permissions === 'deny' && modes.isSelfApproving(id))
      throw new RemoraError(
        'usage',
        `Permissions cannot be denied in mode ${wanted}: it never asks for any`,
        {
          hint: 'Choose the mode default, or the permissions allow.',
        },
      )
    return id
  }
  if (current === undefined || !modes.isSelfApproving(current)) return undefined
  // The user's own configuration applies, unless the caller chose who decides.
  if (permissions !== 'ask' && permissions !== 'deny' && modes.toName(current) === configured)
    return undefined
  const asking = modes.toId('ask')
  if (ids.includes(asking)) return asking
  if (isAllow(permissions)) return undefined
  const others = ids.length > 0 ? `Its modes: ${ids.join(', ')}. ` : ''
  throw new RemoraError(
    'permission',
    `${title} starts in mode ${current}, in which it runs tools without asking, and has no mode that asks`,
    { hint: `${others}Choose one of them, or the permissions allow.` },
  )
}
