import type { PersonRole } from '@remora/protocol/plain'
import { colors } from '../output/colors.ts'
import type { Io } from '../command/io.ts'
import { writeAll } from '../output/write-all.ts'
import { roleWords } from '../args/roles.ts'
import { oneLine } from '../output/one-line.ts'
import { ago, withIsoTimes } from '../output/format-time.ts'
import { table } from '../output/table.ts'
import type { Input } from '../command/verb.ts'
import { ensureServer, notRunning } from '../client/background.ts'
import { askServer, serverHealth } from '../client/server-client.ts'
import { readLedger } from '../ledger/read-ledger.ts'
import { listStoredPeople } from '../ledger/server-records.ts'
import { toDeviceJson } from './manage-devices.ts'

/** Lists people, changes a role, or removes a person. Only changes need the server. */
export async function people(input: Input, io: Io): Promise<number> {
  const [action, name = '', role] = input.positionals
  if (action !== undefined) await ensureServer(io)
  if (action === 'role') return setRole(name, role as PersonRole, input, io)
  if (action === 'remove') return remove(name, input, io)
  const running = (await serverHealth(io)) !== undefined
  const all = running
    ? (await askServer(io).get('/api/people')).people
    : await readLedger(io, listStoredPeople, { current: false })
  if (input.values['json']) {
    const people = all.map((person) => ({
      ...withIsoTimes(person, 'addedAt', 'seenAt'),
      devices: person.devices.map(toDeviceJson),
    }))
    return writeAll(io, [`${JSON.stringify(people, null, 2)}\n`])
  }
  if (!running) io.err(notRunning)
  const now = Date.now()
  const rows = all.map((person) => ({
    cells: [
      person.local ? `${person.name} (you)` : person.name,
      person.role,
      oneLine(person.devices.map((device) => device.name).join(', '), 200) || '-',
      person.seenAt === undefined ? '-' : ago(person.seenAt, now),
    ],
  }))
  const columns = [{ title: 'NAME' }, { title: 'ROLE' }, { title: 'DEVICES', least: 10 }, { title: 'SEEN' }]
  const lines = table(columns, rows, io.columns ?? 1000, await colors(input, io))
  return writeAll(
    io,
    lines.map((line) => `${line}\n`),
  )
}

async function setRole(name: string, role: PersonRole, { values }: Input, io: Io): Promise<number> {
  const { person, was } = await askServer(io).patch('/api/people/:name', {
    params: { name },
    body: { role },
  })
  if (values['json']) io.out(`${JSON.stringify({ person: person.name, role, was: was ?? role }, null, 2)}\n`)
  else if (was === undefined) io.out(`${person.name} is already ${roleWords[role]}.\n`)
  else io.out(`${person.name} is now ${roleWords[role]} (was ${was}).\n`)
  return 0
}

async function remove(name: string, { values }: Input, io: Io): Promise<number> {
  const removed = await askServer(io).delete('/api/people/:name', { params: { name } })
  if (values['json'])
    io.out(`${JSON.stringify({ removed: removed.person, revoked: removed.revoked }, null, 2)}\n`)
  else {
    const count = removed.revoked.length
    const devices =
      count === 0
        ? 'no paired devices'
        : count === 1
          ? '1 device disconnected'
          : `${count} devices disconnected`
    io.out(`Removed ${removed.person}: ${devices}.\n`)
  }
  return 0
}
