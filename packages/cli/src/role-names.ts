import type { PersonRole } from '@remora/protocol/plain'

/** What a person may be, and what that means. */
export const roleNames = ['owner', 'member', 'viewer'] as const satisfies readonly PersonRole[]

/** @example `Bob is ${roleWords.viewer}` */
export const roleWords: Record<PersonRole, string> = {
  owner: 'an owner, who may do everything',
  member: 'a member, who may prompt and answer agents and start new ones, as you may',
  viewer: 'a viewer, who sees everything and changes nothing',
}
