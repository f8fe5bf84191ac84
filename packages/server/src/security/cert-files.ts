import { type KeyObject, X509Certificate, createPrivateKey, createPublicKey, randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import {
  toAddressBytes,
  createAuthorityExtensions,
  createCertificate,
  createKeys,
  encodePermittedName,
  encodePermittedNetwork,
  createServerExtensions,
} from './certificate.ts'

const day = 24 * 3_600_000
const authorityDays = 3650
/** Phones refuse server certificates that are valid for more than 398 days. */
const serverDays = 396
const renewBeforeDays = 30

/** The authority may sign only for private networks, so that a stolen key cannot impersonate a public site. */
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
  /** The fingerprint of the authority, to compare with the one on the phone. */
  readonly fingerprint: string
  /** The names in the server's certificate. */
  readonly names: readonly string[]
  /** Whether the server's certificate was just created. */
  readonly renewed: boolean
}

export interface CertificatesOptions {
  /** @example '/home/me/.remora/certificates' */
  readonly folder: string
  /** Names and addresses under which the server is reached. */
  readonly names: readonly string[]
  /** More names, which are skipped where the authority may not sign them. */
  readonly optionalNames?: readonly string[]
  readonly now?: () => number
}

/**
 * Loads the server's certificate and the local authority that signs it. Missing ones are created, and the server's is
 * renewed when the names change or it expires soon.
 *
 * @example const { cert, key, ca } = await loadCertificates({ folder, names: ['192.168.1.20'] })
 */
export async function loadCertificates(options: CertificatesOptions): Promise<Certificates> {
  const { folder } = options
  const now = (options.now ?? Date.now)()
  const required = ['localhost', '127.0.0.1', '::1', ...options.names.map((each) => each.toLowerCase())]
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  const authority = (await readPair(folder, 'ca', now)) ?? (await createAuthority(folder, now))
  const ca = new X509Certificate(authority.cert)
  for (const each of required) if (!isPermitted(each, ca)) throw createNameError(each)
  const optional = (options.optionalNames ?? [])
    .map((each) => each.toLowerCase())
    .filter((each) => isPermitted(each, ca))
  const names = [...new Set([...required, ...optional])]
  const current = await readPair(folder, 'server', now + renewBeforeDays * day)
  const common = { ca: authority.cert, fingerprint: ca.fingerprint256, names }
  if (current && matches(current.cert, names, ca))
    return { cert: current.cert, key: toPem(current.key), ...common, renewed: false }
  const created = await createServerPair(folder, names, authority, now)
  return { cert: created.cert, key: toPem(created.key), ...common, renewed: true }
}

interface Pair {
  readonly cert: string
  readonly key: KeyObject
}

/** Returns undefined if a file is missing, the key does not match, or the certificate expires before `until`. */
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

async function createAuthority(folder: string, now: number): Promise<Pair> {
  const { publicKey, privateKey } = createKeys()
  // A unique name, so that phones do not confuse it with an older authority.
  const subject = `Remora on ${hostname().slice(0, 40)} ${randomBytes(3).toString('hex')}`
  const permitted = [
    ...[...domains, hostname().toLowerCase()].map(encodePermittedName),
    ...networks.map(([address, prefix]) => encodePermittedNetwork(address, prefix)),
  ]
  const cert = createCertificate({
    subject,
    issuer: subject,
    publicKey,
    signingKey: privateKey,
    issuerKey: publicKey,
    from: now - day,
    until: now + authorityDays * day,
    extensions: createAuthorityExtensions(permitted),
  })
  return writePair(folder, 'ca', { cert, key: privateKey })
}

async function createServerPair(
  folder: string,
  names: readonly string[],
  authority: Pair,
  now: number,
): Promise<Pair> {
  const { publicKey, privateKey } = createKeys()
  const issuer = /^CN=(.*)$/m.exec(new X509Certificate(authority.cert).subject)![1]!
  const cert = createCertificate({
    subject: 'Remora server',
    issuer,
    publicKey,
    signingKey: authority.key,
    issuerKey: createPublicKey(authority.key),
    from: now - day,
    until: now + serverDays * day,
    extensions: createServerExtensions(names),
  })
  return writePair(folder, 'server', { cert, key: privateKey })
}

function matches(cert: string, names: readonly string[], ca: X509Certificate): boolean {
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
  const bytes = toAddressBytes(name)
  return networks.some(([address, prefix]) => {
    const net = toAddressBytes(address)
    if (net.length !== bytes.length) return false
    return [...bytes].every((byte, index) => {
      const kept = Math.max(0, Math.min(8, prefix - index * 8))
      const mask = (0xff << (8 - kept)) & 0xff
      return (byte & mask) === (net[index]! & mask)
    })
  })
}

function createNameError(name: string): RemoraError {
  return new RemoraError(
    'config',
    `Cannot create a certificate for ${name}: it is not in a private network`,
    {
      hint: 'Provide a certificate for that name, or use a reverse proxy.',
    },
  )
}

async function writePair(folder: string, name: string, pair: Pair): Promise<Pair> {
  await writeAtomically(join(folder, `${name}.key`), toPem(pair.key))
  await writeAtomically(join(folder, `${name}.crt`), pair.cert)
  return pair
}

/** Writes the whole file or nothing, readable by the user only. */
async function writeAtomically(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' })
  await rename(draft, file)
}

function toPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string
}
