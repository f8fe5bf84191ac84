import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serverHealth } from '../client/server-client.ts'
import { readNote } from '../client/server-note.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { remoraHome } from '../home/remora-home.ts'
import { colors } from '../output/colors.ts'
import { homePath } from '../output/home-path.ts'
import { qrCode } from '../output/qr.ts'

/** Creates the certificate authority of this machine if needed, and prints how to install it on a phone. */
export async function certificate(input: Input, io: Io): Promise<number> {
  const folder = join(remoraHome(io), 'certificates')
  const file = join(folder, 'ca.crt')
  const fingerprint = (await knownFingerprint(file)) ?? (await makeAuthority(folder))
  const note = (await serverHealth(io)) ? await readNote(io) : undefined
  const page = note?.fingerprint === fingerprint ? `${note.url}/install` : undefined
  if (input.values['json']) {
    io.out(`${JSON.stringify({ file, fingerprint, page: page ?? null }, null, 2)}\n`)
    return 0
  }
  const paint = await colors(input, io)
  io.out(`Certificate authority of this machine: ${homePath(file, io.home)}\n`)
  io.out(`  SHA-256 ${paint.bold(fingerprint)}\n`)
  io.out(`  ${paint.dim('Valid for private networks only. The private key stays on this machine.')}\n`)
  if (page === undefined) {
    io.out('To install it on a phone, start the server on your network: remora serve --lan\n')
    return 0
  }
  io.out(
    'Open this page on the phone, install the certificate, and compare its SHA-256 with the line above:\n',
  )
  io.out(`  ${paint.bold(page)}\n\n${qrCode(page, paint.isColorSupported)}`)
  return 0
}

/** Reads the existing authority. A running server's certificate must not be replaced. */
async function knownFingerprint(file: string): Promise<string | undefined> {
  try {
    const read = new X509Certificate(await readFile(file))
    return Date.parse(read.validTo) > Date.now() ? read.fingerprint256 : undefined
  } catch {
    return undefined
  }
}

async function makeAuthority(folder: string): Promise<string> {
  const { loadCertificates } = await import('@remora/server')
  return (await loadCertificates({ folder, names: [] })).fingerprint
}
