import { devicesApi } from '@remora/protocol/api'
import { cookieName } from '../../security/gate.ts'
import { HttpError } from '../../security/http-error.ts'
import { requireWho } from '../../security/roles.ts'
import { type Call, implement } from '../route.ts'

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
