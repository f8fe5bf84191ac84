import { maskAll } from '@remora/ledger'
import { type Person, auditApi, devicesApi, peopleApi } from '@remora/protocol/api'
import { cookieName } from '../../security/gate.ts'
import { HttpError } from '../../security/http-error.ts'
import type { Person as StoredPerson } from '../../security/people.ts'
import { requireWho } from '../../security/roles.ts'
import { type Call, type Services, implement } from '../route.ts'

const cookieSeconds = 400 * 24 * 3600

export const deviceRoutes = implement(devicesApi, {
  async createPairingCode({ pairing, people, urls, body, who }) {
    const by = requireWho(who).signature
    const { person, added, was } = await people.enrol(body.person ?? people.local, body.role, by)
    const created = pairing.create(person.name)
    return {
      ...created,
      // Browsers do not send the fragment, so the code appears in no server, log or referrer.
      urls: urls.map((url) => `${url}/#pair=${created.code}`),
      person: person.name,
      role: person.role,
      added,
      ...(was ? { was } : {}),
    }
  },

  async pairDevice({ pairing, devices, body, address, secure, set }) {
    const person = await pairing.redeem(body.code, address)
    const { device, token } = await devices.add(body.name, { person, address })
    if (body.token) return { device, token }
    set('set-cookie', formatCookie(token, cookieSeconds, secure))
    return { device }
  },

  getMe({ who }) {
    const known = requireWho(who)
    const { kind, client, person, role } = known
    return { kind, client, person, role, ...(known.kind === 'device' ? { device: known.device } : {}) }
  },

  async unpairMe(call) {
    const known = requireWho(call.who)
    if (known.kind === 'user') throw new HttpError(400, 'usage', 'The local user cannot be unpaired')
    await revoke(call, known.client)
  },

  listDevices: ({ devices }) => ({ devices: devices.list() }),

  renameDevice({ devices, params, body, who }) {
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

  revokeDevice: (call) => revoke(call, call.params.id),
})

async function revoke(call: Pick<Call, 'devices' | 'who' | 'secure' | 'set'>, id: string): Promise<void> {
  const known = requireWho(call.who)
  await call.devices.revoke(id, known.signature)
  if (known.client === id) call.set('set-cookie', formatCookie('', 0, call.secure))
}

function formatCookie(token: string, seconds: number, secure: boolean): string {
  const parts = [`${cookieName}=${token}`, 'Path=/', 'HttpOnly', 'SameSite=Strict', `Max-Age=${seconds}`]
  return [...parts, ...(secure ? ['Secure'] : [])].join('; ')
}

export const peopleRoutes = implement(peopleApi, {
  listPeople: (call) => ({ people: call.people.list().map((person) => toPerson(call, person)) }),

  async setRole(call) {
    const by = requireWho(call.who).signature
    const { person, was } = await call.people.setRole(call.params.name, call.body.role, by)
    return { person: toPerson(call, person), ...(was ? { was } : {}) }
  },

  async removePerson({ people, devices, pairing, params, who }) {
    const by = requireWho(who).signature
    // The person is removed first, so that a device that is being paired gets no owner.
    const { name } = await people.remove(params.name, by)
    pairing.removeCodes(name)
    const revoked = devices.listFor(name).map(({ id }) => id)
    for (const id of revoked) await devices.revoke(id, by)
    return { person: name, revoked }
  },
})

function toPerson({ people, devices }: Pick<Services, 'people' | 'devices'>, person: StoredPerson): Person {
  const own = devices.listFor(person.name)
  const [latest] = own
  return {
    ...person,
    ...(people.isLocal(person.name) ? { local: true as const } : {}),
    ...(latest ? { seenAt: latest.seenAt } : {}),
    devices: own,
  }
}

export const auditRoutes = implement(auditApi, {
  async listAudit({ context, query: { after, limit, agent, session } }) {
    const entries = await context.ledger.audit.read({
      limit: limit ?? 200,
      ...(after === undefined ? {} : { after }),
      ...(agent !== undefined && session !== undefined ? { session: { agent, session } } : {}),
    })
    return { entries: entries.map((entry) => ({ ...entry, detail: maskAll(entry.detail) })) }
  },
  verifyAudit: ({ context }) => context.ledger.audit.verify(),
})
