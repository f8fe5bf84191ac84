import { z } from 'zod'
import { personRoles } from './constants.ts'

/** The role of a person: read, take part, or everything. */
export const PersonRole = z.enum(personRoles)
export type PersonRole = z.infer<typeof PersonRole>
