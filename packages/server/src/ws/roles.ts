import type { ClientMessage, CommandBody } from '@remora/protocol'
import type { Role } from '../security/roles.ts'

/** The least role for each client message; the type checker requires an entry for every type. */
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

/** The least role for each kind of command. */
export const commandRoles: Readonly<Record<CommandBody['kind'], Role>> = {
  prompt: 'member',
  answer: 'member',
  cancel: 'member',
  mode: 'member',
  model: 'member',
  end: 'member',
}
