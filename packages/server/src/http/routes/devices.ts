import { PersonRole } from '@remora/protocol'
import { Device, Me } from '@remora/protocol/api'
import { z } from 'zod'
import { cookieName } from '../../security/gate.ts'
import { HttpError } from '../../security/http-error.ts'
import { requireWho } from '../../security/roles.ts'
import { type Call, route } from '../route.ts'
import { word } from '../shapes.ts'

const name = z.string().trim().min(1).max(60)
const cookieSeconds = 400 * 24 * 3600

export const deviceRoutes = [
  route({
    method: 'post',
    path: '/api/pair/code',
    summary:
      'Makes a one-time code for a new device of the user, or of the person who is named: one who is new is made, one who is known gets the role only if it is given',
    access: 'user',
    shapes: {
      body: z.strictObject({ person: z.string().min(1).max(100).optional(), role: PersonRole.optional() }),
      response: z.object({
        code: z.string(),
        expiresAt: z.number(),
        urls: z.array(z.string()),
        person: z.string(),
        role: PersonRole,
        /** Nobody of that name was known before. */
        added: z.boolean(),
        /** The role before, where it was another one. */
        was: PersonRole.optional(),
      }),
    },
    async handle({ pairing, people, urls, body, who }) {
      const by = requireWho(who).signature
      const { person, added, was } = await people.enrol(body.person ?? people.local, body.role, by)
      const made = pairing.create(person.name)
      return {
        ...made,
        // Behind the sign that browsers keep to themselves: no server, log or referrer ever sees it.
        urls: urls.map((url) => `${url}/#pair=${made.code}`),
        person: person.name,
        role: person.role,
        added,
        ...(was ? { was } : {}),
      }
    },
  }),
  route({
    method: 'post',
    path: '/api/pair',
    summary: 'Pairs this device; the token comes as a cookie, or in the answer if it is asked for',
    access: 'open',
    shapes: {
      body: z.strictObject({ code: z.string().min(1).max(60), name, token: z.boolean().optional() }),
      response: z.object({ device: Device, token: z.string().optional() }),
    },
    async handle({ pairing, devices, body, address, secure, set }) {
      const person = await pairing.redeem(body.code, address)
      const { device, token } = await devices.add(body.name, { person, address })
      if (body.token) return { device, token }
      set('set-cookie', cookie(token, cookieSeconds, secure))
      return { device }
    },
  }),
  route({
    method: 'get',
    path: '/api/me',
    summary: 'Who you are to this server, and what you may do',
    access: 'viewer',
    shapes: { response: Me },
    handle({ who }) {
      const known = requireWho(who)
      const { kind, client, person, role } = known
      return {
        kind,
        client,
        person,
        role,
        ...(known.kind === 'device' ? { device: known.device } : {}),
      }
    },
  }),
  route({
    method: 'delete',
    path: '/api/me',
    summary: 'Leaves: this device has to be paired again',
    access: 'viewer',
    shapes: {},
    async handle(call) {
      const known = requireWho(call.who)
      if (known.kind === 'user') throw new HttpError(400, 'usage', 'The local user cannot be unpaired')
      await revoke(call, known.client)
    },
  }),
  route({
    method: 'get',
    path: '/api/devices',
    summary: 'All paired devices, those seen last first',
    access: 'viewer',
    shapes: { response: z.object({ devices: z.array(Device) }) },
    handle: ({ devices }) => ({ devices: devices.list() }),
  }),
  route({
    method: 'patch',
    path: '/api/devices/:id',
    summary: 'Renames a device; devices rename themselves only',
    access: 'viewer',
    shapes: { params: z.object({ id: word }), body: z.strictObject({ name }), response: Device },
    handle({ devices, params, body, who }) {
      const known = requireWho(who)
      if (known.kind === 'device' && known.client !== params.id)
        throw new HttpError(
          403,
          'forbidden',
          'A device can only rename itself',
          'Rename it on that device: Settings, Devices',
        )
      return devices.rename(params.id, body.name)
    },
  }),
  route({
    method: 'delete',
    path: '/api/devices/:id',
    summary: 'Revokes a device: its connections end at once',
    access: 'owner',
    shapes: { params: z.object({ id: word }) },
    handle: (call) => revoke(call, call.params.id),
  }),
]

async function revoke(call: Pick<Call, 'devices' | 'who' | 'secure' | 'set'>, id: string): Promise<void> {
  const known = requireWho(call.who)
  await call.devices.revoke(id, known.signature)
  if (known.client === id) call.set('set-cookie', cookie('', 0, call.secure))
}

function cookie(token: string, seconds: number, secure: boolean): string {
  const parts = [`${cookieName}=${token}`, 'Path=/', 'HttpOnly', 'SameSite=Strict', `Max-Age=${seconds}`]
  return [...parts, ...(secure ? ['Secure'] : [])].join('; ')
}
