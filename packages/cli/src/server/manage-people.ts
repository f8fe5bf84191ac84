import type { PersonRole } from '@remora/protocol/plain'
import { colors } from '../output/colors.ts'
import type { Io } from '../command/io.ts'
import { writeAll } from '../output/write-all.ts'
import { roleWords } from '../args/roles.ts'
import { oneLine } from '../output/one-line.ts'
import { ago } from '../output/format-time.ts'
import { table } from '../output/table.ts'
import type { Input } from '../command/verb.ts'
import { ensureServer } from '../client/background.ts'
import { askServer } from '../client/server-client.ts'

/** Lists the people whose devices come in, gives one another role, or shuts one out. */
export async function people(input: Input, io: Io): Promise<number> {
  const [action, name = '', role] = input.positionals
  await ensureServer(io)
  if (action === 'role') return setRole(name, role as PersonRole, input, io)
  if (action === 'remove') return remove(name, input, io)
  const { people: all } = await askServer(io).get('/api/people')
  if (input.values['json']) return writeAll(io, [`${JSON.stringify(all, null, 2)}\n`])
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
