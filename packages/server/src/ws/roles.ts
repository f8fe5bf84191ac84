import type { ClientMessage, CommandBody } from '@remora/protocol'
import type { Role } from '../security/roles.ts'

/** The least role for each message of a client: one that is not here does not compile. */
export const messageRoles: Readonly<Record<ClientMessage['type'], Role>> = {
  ping: 'viewer',
  subscribe: 'viewer',
  follow: 'viewer',
  unsubscribe: 'viewer',
  looking: 'viewer',
  screen: 'viewer',
  keys: 'member',
  command: 'member',
  edit: 'member',
}

/** And for each command, which may need more than the message that carries it. */
export const commandRoles: Readonly<Record<CommandBody['kind'], Role>> = {
  prompt: 'member',
  answer: 'member',
  cancel: 'member',
  mode: 'member',
  model: 'member',
  end: 'member',
}
