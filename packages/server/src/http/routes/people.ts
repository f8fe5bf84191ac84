import { Person, type Device } from '@remora/protocol/api'
import { PersonRole } from '@remora/protocol'
import { z } from 'zod'
import type { Person as Kept } from '../../security/people.ts'
import { requireWho } from '../../security/roles.ts'
import { type Call, route } from '../route.ts'

const PersonParams = z.object({ name: z.string().min(1).max(100) })

export const peopleRoutes = [
  route({
    method: 'get',
    path: '/api/people',
    summary: 'The people whose devices come in, what each may do, and their devices',
    access: 'viewer',
    shapes: { response: z.object({ people: z.array(Person) }) },
    handle: (call) => ({ people: call.people.list().map((person) => shown(call, person)) }),
  }),
  route({
    method: 'patch',
    path: '/api/people/:name',
    summary: 'Another role, which counts at once; the user of the machine stays an owner',
    access: 'owner',
    shapes: {
      params: PersonParams,
      body: z.strictObject({ role: PersonRole }),
      response: z.object({ person: Person, was: PersonRole.optional() }),
    },
    async handle(call) {
      const by = requireWho(call.who).signature
      const { person, was } = await call.people.setRole(call.params.name, call.body.role, by)
      return { person: shown(call, person), ...(was ? { was } : {}) }
    },
  }),
  route({
    method: 'delete',
    path: '/api/people/:name',
    summary: 'Removes somebody and revokes all their devices: their connections end at once',
    access: 'owner',
    shapes: {
      params: PersonParams,
      response: z.object({ person: z.string(), revoked: z.array(z.string()) }),
    },
    async handle({ people, devices, pairing, params, who }) {
      const by = requireWho(who).signature
      // First the person, then the devices: what comes in between belongs to nobody.
      const { name } = await people.remove(params.name, by)
      pairing.drop(name)
      const revoked = devices.of(name).map(({ id }) => id)
      for (const id of revoked) await devices.revoke(id, by)
      return { person: name, revoked }
    },
  }),
]

function shown({ people, devices }: Pick<Call, 'people' | 'devices'>, person: Kept): Person {
  const own: Device[] = devices.of(person.name)
  const [latest] = own
  return {
    ...person,
    ...(people.isLocal(person.name) ? { local: true as const } : {}),
    ...(latest ? { seenAt: latest.seenAt } : {}),
    devices: own,
  }
}
