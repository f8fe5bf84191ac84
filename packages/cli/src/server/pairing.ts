import { type Colors, colors } from '../output/colors.ts'
import type { PersonRole } from '@remora/protocol/plain'
import type { Io } from '../command/io.ts'
import { roleWords } from '../args/roles.ts'
import { shellWord } from '../output/shell-word.ts'
import type { Input } from '../command/verb.ts'
import { ensureServer } from '../client/background.ts'
import { qrCode } from '../output/qr.ts'
import { askServer } from '../client/server-client.ts'
import { type Reach, readNote } from '../client/server-note.ts'
import { withIsoTimes } from '../output/format-time.ts'

/** A link that pairs one device before it expires. */
interface PairLink {
  readonly code: string
  /** The code is in its fragment. */
  readonly link: string
  readonly expiresAt: number
  readonly reach: Reach
  /** The person and role of the device. */
  readonly person?: string
  readonly role?: PersonRole
  /** Whether the person is new; else the previous role, if it changed. */
  readonly added?: boolean
  readonly was?: PersonRole
}

/** Creates a pairing code and shows how to use it. */
export async function pair(input: Input, io: Io): Promise<number> {
  await ensureServer(io)
  const { person, role } = input.values as { person?: string; role?: PersonRole }
  const made = await newLink(io, { person, role })
  if (input.values['json']) io.out(`${JSON.stringify(withIsoTimes(made, 'expiresAt'), null, 2)}\n`)
  else {
    if (person !== undefined) printPerson(made, io)
    printLink(made, await colors(input, io), io)
  }
  return 0
}

/** Creates a code for a device of the user, or of the named person. */
export async function newLink(
  io: Io,
  whose: { readonly person?: string; readonly role?: PersonRole } = {},
): Promise<PairLink> {
  const { urls, code, ...made } = await askServer(io).post('/api/pair/code', { body: whose })
  const [link = ''] = urls
  return { code, link, ...made, reach: (await readNote(io))?.reach ?? 'loopback' }
}

function printPerson({ person, role, added, was }: PairLink, io: Io): void {
  if (person === undefined || role === undefined) return
  const words = roleWords[role]
  if (added) io.out(`Added ${person}: ${words}.\n`)
  else if (was) io.out(`${person} is now ${words} (was ${was}).\n`)
  else io.out(`${person} is ${words}.\n`)
  if (added && role === 'viewer')
    io.out(`To let them send prompts and answers: remora people role ${shellWord(person)} member\n`)
}

export function printLink({ code, link, reach, expiresAt }: PairLink, paint: Colors, io: Io): void {
  const minutes = Math.max(1, Math.round((expiresAt - Date.now()) / 60_000))
  const where = reach === 'loopback' ? 'a browser on this computer' : 'your phone'
  io.out(`Pair ${where}. Valid once, for ${minutes} min (new code: remora pair):\n`)
  io.out(`  ${paint.bold(link)}\n`)
  io.out(`  Code: ${paint.bold(code)}\n`)
  if (reach === 'loopback') {
    io.out(
      'Phones cannot reach this address. For phones: remora stop, then remora serve --lan or --tailscale\n',
    )
    return
  }
  io.out(`\n${qrCode(link, paint.isColorSupported)}`)
}
