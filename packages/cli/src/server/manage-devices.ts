import type { Device as ApiDevice } from '@remora/protocol/api'
import { colors } from '../output/colors.ts'
import { fail } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import { writeAll } from '../output/write-all.ts'
import { oneLine } from '../output/one-line.ts'
import { ago, withIsoTimes } from '../output/format-time.ts'
import { table } from '../output/table.ts'
import type { Input } from '../command/verb.ts'
import { ensureServer, notRunning } from '../client/background.ts'
import { askServer, serverHealth } from '../client/server-client.ts'
import { readLedger } from '../ledger/read-ledger.ts'
import { listStoredDevices } from '../ledger/server-records.ts'

/** Servers of earlier versions do not report the person. */
type Device = Omit<ApiDevice, 'person'> & Partial<Pick<ApiDevice, 'person'>>

/** Lists paired devices, or revokes one. Only revoking needs the server. */
export async function devices(input: Input, io: Io): Promise<number> {
  const [action, word] = input.positionals
  if (action !== undefined) await ensureServer(io)
  const running = action !== undefined || (await serverHealth(io)) !== undefined
  const all: readonly Device[] = running
    ? (await askServer(io).get('/api/devices')).devices
    : await readLedger(io, listStoredDevices, { current: false })
  if (action !== undefined) return revoke(all, word!, input, io)
  if (input.values['json']) return writeAll(io, [`${JSON.stringify(all.map(toDeviceJson), null, 2)}\n`])
  if (all.length === 0) {
    io.err('No paired devices.\n  Pair one: remora pair\n')
    return 0
  }
  if (!running) io.err(notRunning)
  const now = Date.now()
  const rows = all.map(({ id, name, person = '-', pairedAt, seenAt }) => ({
    cells: [id, oneLine(name, 60), oneLine(person, 60), ago(pairedAt, now), ago(seenAt, now)],
  }))
  const columns = [
    { title: 'ID' },
    { title: 'NAME', least: 10 },
    { title: 'PERSON', least: 8 },
    { title: 'PAIRED' },
    { title: 'SEEN' },
  ]
  const lines = table(columns, rows, io.columns ?? 1000, await colors(input, io))
  return writeAll(
    io,
    lines.map((line) => `${line}\n`),
  )
}

/** The JSON form of a device. */
export function toDeviceJson(device: Device) {
  return withIsoTimes(device, 'pairedAt', 'seenAt')
}

async function revoke(all: readonly Device[], word: string, { values }: Input, io: Io): Promise<number> {
  const exact = all.filter(({ id }) => id === word)
  const fitting =
    exact.length > 0
      ? exact
      : all.filter(({ id, name }) => id.startsWith(word) || name.toLowerCase() === word.toLowerCase())
  const [device, other] = fitting
  if (!device || other)
    throw await fail(
      'not_found',
      device ? `"${word}" matches ${fitting.length} devices` : `No paired device "${word}"`,
      'List them: remora devices',
    )
  await askServer(io).delete('/api/devices/:id', { params: { id: device.id } })
  if (values['json']) io.out(`${JSON.stringify({ revoked: device.id })}\n`)
  else io.out(`Revoked ${oneLine(device.name, 60)} (${device.id}). It is disconnected.\n`)
  return 0
}
