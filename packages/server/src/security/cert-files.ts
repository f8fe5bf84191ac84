import { type KeyObject, X509Certificate, createPrivateKey, createPublicKey, randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import {
  addressBytes,
  authorityExtensions,
  makeCertificate,
  newKeys,
  permittedName,
  permittedNetwork,
  serverExtensions,
} from './certificate.ts'

const day = 24 * 3_600_000
const authorityDays = 3650
/** Phones refuse server certificates that are valid for more than 398 days. */
const serverDays = 396
const renewBeforeDays = 30

/**
 * Our authority is good for machines of one's own network and for nothing else: who stole its key could not pretend to
 * be a bank.
 */
const networks: readonly (readonly [string, number])[] = [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
]
const domains = ['localhost', 'local', 'lan', 'home.arpa', 'internal', 'ts.net']

export interface Certificates {
  readonly cert: string
  readonly key: string
  /** The certificate of the authority, which is public. */
  readonly ca: string
  /** Of the authority, to compare with what the phone shows. */
  readonly fingerprint: string
  /** All names that it is good for. */
  readonly names: readonly string[]
  /** Whether the server's certificate was made now. */
  readonly renewed: boolean
}

export interface CertificatesOptions {
  /** @example '/home/me/.remora/certificates' */
  readonly folder: string
  /** Names and addresses under which the server is reached. */
  readonly names: readonly string[]
  /** More of them, as far as our authority is good for them. */
  readonly also?: readonly string[]
  readonly now?: () => number
}

/**
 * The certificate for these names, by an authority of this machine's own. Both are made when they are missing, and the
 * server's anew when the names change or its time is nearly over.
 *
 * @example const { cert, key, ca } = await certificates({ folder, names: ['192.168.1.20'] })
 */
export async function certificates(options: CertificatesOptions): Promise<Certificates> {
  const { folder } = options
  const now = (options.now ?? Date.now)()
  const wanted = ['localhost', '127.0.0.1', '::1', ...options.names.map((each) => each.toLowerCase())]
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  const authority = (await readPair(folder, 'ca', now)) ?? (await makeAuthority(folder, now))
  const ca = new X509Certificate(authority.cert)
  for (const each of wanted) if (!isPermitted(each, ca)) throw notPermitted(each)
  const also = (options.also ?? []).map((each) => each.toLowerCase()).filter((each) => isPermitted(each, ca))
  const names = [...new Set([...wanted, ...also])]
  const known = await readPair(folder, 'server', now + renewBeforeDays * day)
  const about = { ca: authority.cert, fingerprint: ca.fingerprint256, names }
  if (known && fits(known.cert, names, ca))
    return { cert: known.cert, key: pemOf(known.key), ...about, renewed: false }
  const made = await makeServer(folder, names, authority, now)
  return { cert: made.cert, key: pemOf(made.key), ...about, renewed: true }
}

interface Pair {
  readonly cert: string
  readonly key: KeyObject
}

/** Undefined if there is none, if it does not belong together, or if it is over by then. */
async function readPair(folder: string, name: string, until: number): Promise<Pair | undefined> {
  try {
    const cert = await readFile(join(folder, `${name}.crt`), 'utf8')
    const key = createPrivateKey(await readFile(join(folder, `${name}.key`), 'utf8'))
    const read = new X509Certificate(cert)
    return read.checkPrivateKey(key) && Date.parse(read.validTo) > until ? { cert, key } : undefined
  } catch {
    return undefined
  }
}

async function makeAuthority(folder: string, now: number): Promise<Pair> {
  const { publicKey, privateKey } = newKeys()
  // A name of its own, so that a phone which knows an older one is not confused.
  const subject = `Remora on ${hostname().slice(0, 40)} ${randomBytes(3).toString('hex')}`
  const permitted = [
    ...[...domains, ownName()].map(permittedName),
    ...networks.map(([address, prefix]) => permittedNetwork(address, prefix)),
  ]
  const cert = makeCertificate({
    subject,
    issuer: subject,
    publicKey,
    signingKey: privateKey,
    issuerKey: publicKey,
    from: now - day,
    until: now + authorityDays * day,
    extensions: authorityExtensions(permitted),
  })
  return writePair(folder, 'ca', { cert, key: privateKey })
}

async function makeServer(
  folder: string,
  names: readonly string[],
  authority: Pair,
  now: number,
): Promise<Pair> {
  const { publicKey, privateKey } = newKeys()
  const issuer = /^CN=(.*)$/m.exec(new X509Certificate(authority.cert).subject)![1]!
  const cert = makeCertificate({
    subject: 'Remora server',
    issuer,
    publicKey,
    signingKey: authority.key,
    issuerKey: createPublicKey(authority.key),
    from: now - day,
    until: now + serverDays * day,
    extensions: serverExtensions(names),
  })
  return writePair(folder, 'server', { cert, key: privateKey })
}

function fits(cert: string, names: readonly string[], ca: X509Certificate): boolean {
  const read = new X509Certificate(cert)
  const found = names.every((name) => (isIP(name) ? read.checkIP(name) : read.checkHost(name)) !== undefined)
  const count = read.subjectAltName?.split(', ').length
  return found && count === names.length && read.checkIssued(ca) && read.verify(ca.publicKey)
}

function isPermitted(name: string, ca: X509Certificate): boolean {
  const kind = isIP(name)
  if (kind === 0) {
    const own = /^CN=Remora on (\S+) /m.exec(ca.subject)?.[1]?.toLowerCase()
    return [...domains, own].some((domain) => domain && (name === domain || name.endsWith(`.${domain}`)))
  }
  const bytes = addressBytes(name)
  return networks.some(([address, prefix]) => {
    const net = addressBytes(address)
    if (net.length !== bytes.length) return false
    return [...bytes].every((byte, index) => {
      const kept = Math.max(0, Math.min(8, prefix - index * 8))
      const mask = (0xff << (8 - kept)) & 0xff
      return (byte & mask) === (net[index]! & mask)
    })
  })
}

function notPermitted(name: string): RemoraError {
  return new RemoraError(
    'config',
    `Cannot create a certificate for ${name}: it is not in a private network`,
    {
      hint: 'Provide a certificate for that name, or use a reverse proxy.',
    },
  )
}

function ownName(): string {
  return hostname().toLowerCase()
}

async function writePair(folder: string, name: string, pair: Pair): Promise<Pair> {
  await writeSafely(join(folder, `${name}.key`), pemOf(pair.key))
  await writeSafely(join(folder, `${name}.crt`), pair.cert)
  return pair
}

/** All of it or nothing, and never readable by others. */
async function writeSafely(file: string, text: string): Promise<void> {
  const beside = `${file}.${randomBytes(4).toString('hex')}`
  await writeFile(beside, text, { mode: 0o600, flag: 'wx' })
  await rename(beside, file)
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string
}
