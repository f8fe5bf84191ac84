import { z } from 'zod'
import { personRoles } from './constants.ts'

/** What a person may do: look, take part, or everything. */
export const PersonRole = z.enum(personRoles)
export type PersonRole = z.infer<typeof PersonRole>
