import { type Person, peopleApi } from '@remora/protocol/api'
import type { Person as StoredPerson } from '../../security/people.ts'
import { requireWho } from '../../security/roles.ts'
import { type Services, implement } from '../route.ts'

export const peopleRoutes = implement(peopleApi, {
  listPeople: (call) => ({ people: call.people.list().map((person) => toPerson(call, person)) }),

  async setRole(call) {
    const by = requireWho(call.who).signature
    const { person, was } = await call.people.setRole(call.params.name, call.body.role, by)
    return { person: toPerson(call, person), ...(was ? { was } : {}) }
  },

  async removePerson({ people, devices, pairing, params, who }) {
    const by = requireWho(who).signature
    // Removing the person first keeps a device that is paired meanwhile from having an owner.
    const { name } = await people.remove(params.name, by)
    pairing.drop(name)
    const revoked = devices.of(name).map(({ id }) => id)
    for (const id of revoked) await devices.revoke(id, by)
    return { person: name, revoked }
  },
})

function toPerson({ people, devices }: Pick<Services, 'people' | 'devices'>, person: StoredPerson): Person {
  const own = devices.of(person.name)
  const [latest] = own
  return {
    ...person,
    ...(people.isLocal(person.name) ? { local: true as const } : {}),
    ...(latest ? { seenAt: latest.seenAt } : {}),
    devices: own,
  }
}
