import { z } from 'zod'
import { PersonRole } from '../model/person.ts'

/** A paired phone or browser. */
export const Device = z.object({
  id: z.string(),
  name: z.string(),
  /** The person that it belongs to. */
  person: z.string(),
  pairedAt: z.number(),
  seenAt: z.number(),
})
export type Device = z.infer<typeof Device>

/** A person with devices, and their role. */
export const Person = z.object({
  name: z.string(),
  role: PersonRole,
  addedAt: z.number(),
  /** The user of the machine itself, who is always an owner. */
  local: z.literal(true).optional(),
  /** The last time that one of the devices was seen. */
  seenAt: z.number().optional(),
  /** Sorted by the time they were seen, latest first. */
  devices: z.array(Device),
})
export type Person = z.infer<typeof Person>

/** The person and device of the current request. */
export const Me = z.object({
  kind: z.enum(['user', 'device']),
  client: z.string(),
  person: z.string(),
  role: PersonRole,
  device: Device.optional(),
})
export type Me = z.infer<typeof Me>
