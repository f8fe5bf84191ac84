import type { PersonRole } from '@remora/protocol/plain'

/** Roles of a person. */
export const roleNames = ['owner', 'member', 'viewer'] as const satisfies readonly PersonRole[]

/** @example `Bob is ${roleWords.viewer}` */
export const roleWords: Record<PersonRole, string> = {
  owner: 'an owner (full access)',
  member: 'a member (may start, prompt and answer agents)',
  viewer: 'a viewer (read only)',
}
