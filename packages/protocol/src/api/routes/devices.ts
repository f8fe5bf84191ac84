import { z } from 'zod'
import { PersonRole } from '../../model/person.ts'
import { Device, Me, Person } from '../device.ts'
import { defineRoutes, identifier, limit, nonNegative } from '../route.ts'

const name = z.string().trim().min(1).max(60)
const DeviceParams = z.object({ id: identifier })
const PersonParams = z.object({ name: z.string().min(1).max(100) })

/** Routes of pairing and devices. */
export const devicesApi = defineRoutes({
  createPairingCode: {
    method: 'post',
    path: '/api/pair/code',
    summary:
      'Create a one-time pairing code for the user or a named person. A new person is added; a known person gets a new role only if `role` is given',
    access: 'user',
    body: z.strictObject({ person: z.string().min(1).max(100).optional(), role: PersonRole.optional() }),
    response: z.object({
      code: z.string(),
      expiresAt: z.number(),
      urls: z.array(z.string()),
      person: z.string(),
      role: PersonRole,
      /** Whether the person is new. */
      added: z.boolean(),
      /** The previous role, if it changed. */
      was: PersonRole.optional(),
    }),
  },
  pairDevice: {
    method: 'post',
    path: '/api/pair',
    summary: 'Pair this device; the token is set as a cookie, or returned if `token` is true',
    access: 'open',
    body: z.strictObject({ code: z.string().min(1).max(60), name, token: z.boolean().optional() }),
    response: z.object({ device: Device, token: z.string().optional() }),
  },
  getMe: {
    method: 'get',
    path: '/api/me',
    summary: 'Get your identity and role',
    access: 'viewer',
    response: Me,
  },
  unpairMe: {
    method: 'delete',
    path: '/api/me',
    summary: 'Unpair this device',
    access: 'viewer',
  },
  listDevices: {
    method: 'get',
    path: '/api/devices',
    summary: 'List paired devices, last seen first',
    access: 'viewer',
    response: z.object({ devices: z.array(Device) }),
  },
  renameDevice: {
    method: 'patch',
    path: '/api/devices/:id',
    summary: 'Rename a device; a device can only rename itself',
    access: 'viewer',
    params: DeviceParams,
    body: z.strictObject({ name }),
    response: Device,
  },
  revokeDevice: {
    method: 'delete',
    path: '/api/devices/:id',
    summary: 'Revoke a device and close its connections',
    access: 'owner',
    params: DeviceParams,
  },
})

/** Routes of people and their roles. */
export const peopleApi = defineRoutes({
  listPeople: {
    method: 'get',
    path: '/api/people',
    summary: 'List people with their roles and devices',
    access: 'viewer',
    response: z.object({ people: z.array(Person) }),
  },
  setRole: {
    method: 'patch',
    path: '/api/people/:name',
    summary: 'Change the role of a person; the user of the machine stays an owner',
    access: 'owner',
    params: PersonParams,
    body: z.strictObject({ role: PersonRole }),
    response: z.object({ person: Person, was: PersonRole.optional() }),
  },
  removePerson: {
    method: 'delete',
    path: '/api/people/:name',
    summary: 'Remove a person, revoke their devices and close their connections',
    access: 'owner',
    params: PersonParams,
    response: z.object({ person: z.string(), revoked: z.array(z.string()) }),
  },
})

const AuditEntry = z.object({
  number: z.number(),
  at: z.number(),
  what: z.string(),
  who: z.string(),
  agent: z.string().optional(),
  session: z.string().optional(),
  detail: z.unknown().optional(),
  hash: z.string(),
})

/** Routes of the audit log. */
export const auditApi = defineRoutes({
  listAudit: {
    method: 'get',
    path: '/api/audit',
    summary: 'List audit log entries, oldest first; known secrets are masked',
    access: 'viewer',
    query: z.object({
      after: nonNegative,
      limit: limit(1000),
      agent: identifier.optional(),
      session: identifier.optional(),
    }),
    response: z.object({ entries: z.array(AuditEntry) }),
  },
  verifyAudit: {
    method: 'get',
    path: '/api/audit/verify',
    summary: 'Verify that no audit log entry was changed',
    access: 'viewer',
    response: z.object({
      entries: z.number(),
      broken: z.object({ number: z.number(), why: z.string() }).optional(),
    }),
  },
})
