import type { Access } from '@remora/protocol/api'
import { type PersonRole, personRoles } from '@remora/protocol/plain'
import { HttpError } from './http-error.ts'
import type { Who } from './who.ts'
import type { ClientMessage, CommandBody } from '@remora/protocol'

export type { Access } from '@remora/protocol/api'
/** What a person may do: read (viewer), take part (member), or everything (owner). */
export type Role = PersonRole

/** Whether a role includes another. @example includesRole('member', 'viewer') // true */
export function includesRole(role: Role, least: Role): boolean {
  return personRoles.indexOf(role) >= personRoles.indexOf(least)
}

/** Throws unless access is granted. Every HTTP request and WebSocket message is checked here. */
export function requireAccess(access: Access, who: Who | undefined): Who | undefined {
  if (access === 'open') return who
  const known = requireWho(who)
  if (access === 'user') {
    if (known.kind === 'user') return known
    throw new HttpError(
      403,
      'forbidden',
      'Only the local user can do this',
      'Run it on the computer: remora --help',
    )
  }
  if (includesRole(known.role, access)) return known
  throw new HttpError(403, 'forbidden', denials[access], formatRoleHint(known.person, access))
}

/** Throws for an unpaired device. */
export function requireWho(who: Who | undefined): Who {
  if (who) return who
  throw new HttpError(401, 'auth', 'This device is not paired', 'Run on the computer: remora pair')
}

const denials: Record<Role, string> = {
  viewer: 'Only paired people can see this',
  member: 'You are a viewer. You can read everything but change nothing.',
  owner: 'Only an owner can do this',
}

function formatRoleHint(person: string, role: Role): string {
  const name = /^[\w.@-]+$/.test(person) ? person : `"${person}"`
  return `An owner can change your role: remora people role ${name} ${role}`
}

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
