import { type KeyObject, createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'
import { bits, context, contextPlain, integer, octets, oid, sequence, set, time, utf8, yes } from './der.ts'

export interface CertificateRequest {
  readonly subject: string
  readonly issuer: string
  readonly publicKey: KeyObject
  readonly signingKey: KeyObject
  /** The key that signs, for the name by which it is found. */
  readonly issuerKey: KeyObject
  readonly from: number
  readonly until: number
  readonly extensions: readonly Buffer[]
}

/** Keys on the curve P-256, which every phone knows. */
export function newKeys(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

/** A signed certificate by RFC 5280, as PEM. */
export function makeCertificate(request: CertificateRequest): string {
  const algorithm = sequence(oid('1.2.840.10045.4.3.2'))
  const body = sequence(
    context(0, integer(2)),
    integer(randomBytes(16)),
    algorithm,
    name(request.issuer),
    sequence(time(request.from), time(request.until)),
    name(request.subject),
    request.publicKey.export({ type: 'spki', format: 'der' }),
    context(
      3,
      sequence(
        extension('2.5.29.14', octets(keyName(request.publicKey))),
        extension('2.5.29.35', sequence(contextPlain(0, keyName(request.issuerKey)))),
        ...request.extensions,
      ),
    ),
  )
  const signature = sign('sha256', body, request.signingKey)
  return pem(sequence(body, algorithm, bits(signature)))
}

/** May sign certificates of servers, but of no other authority, and for the given names only. */
export function authorityExtensions(permitted: readonly Buffer[]): Buffer[] {
  return [
    extension('2.5.29.19', sequence(yes(), integer(0)), 'critical'),
    // keyCertSign and cRLSign.
    extension('2.5.29.15', bits(Buffer.from([0x06]), 1), 'critical'),
    extension('2.5.29.30', sequence(context(0, ...permitted.map((each) => sequence(each)))), 'critical'),
  ]
}

/** Serves under these names and addresses. */
export function serverExtensions(names: readonly string[]): Buffer[] {
  return [
    extension('2.5.29.19', sequence(), 'critical'),
    // digitalSignature.
    extension('2.5.29.15', bits(Buffer.from([0x80]), 7), 'critical'),
    // serverAuth.
    extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1'))),
    extension('2.5.29.17', sequence(...names.map(generalName))),
  ]
}

/** A name with all below it. @example permittedName('local') */
export function permittedName(name: string): Buffer {
  return contextPlain(2, Buffer.from(name, 'ascii'))
}

/** A network. @example permittedNetwork('10.0.0.0', 8) */
export function permittedNetwork(address: string, prefix: number): Buffer {
  const bytes = addressBytes(address)
  const mask = Buffer.from(
    bytes.map((_, index) => (0xff << (8 - Math.max(0, Math.min(8, prefix - index * 8)))) & 0xff),
  )
  return contextPlain(7, Buffer.concat([bytes, mask]))
}

function generalName(text: string): Buffer {
  return isIP(text) ? contextPlain(7, addressBytes(text)) : contextPlain(2, Buffer.from(text, 'ascii'))
}

/** The bytes of an address of either kind. */
export function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail] = address.split('%')[0]!.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  const groups = [...left, ...(tail === undefined ? [] : zeros), ...right].map((group) =>
    Number.parseInt(group, 16),
  )
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 0xff]))
}

function extension(id: string, value: Buffer, critical?: 'critical'): Buffer {
  return sequence(oid(id), ...(critical ? [yes()] : []), octets(value))
}

function name(commonName: string): Buffer {
  return sequence(set(sequence(oid('2.5.4.3'), utf8(commonName))))
}

/** A short name for a key. */
function keyName(key: KeyObject): Buffer {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()
    .subarray(0, 20)
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g)!
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
