import { type KeyObject, createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'

export interface CertificateRequest {
  readonly subject: string
  readonly issuer: string
  readonly publicKey: KeyObject
  readonly signingKey: KeyObject
  /** The public key of the issuer, for the authority key identifier. */
  readonly issuerKey: KeyObject
  readonly from: number
  readonly until: number
  readonly extensions: readonly Buffer[]
}

/** Creates a key pair on P-256, a curve that every phone supports. */
export function createKeys(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

/** Creates a signed certificate by RFC 5280, as PEM. */
export function createCertificate(request: CertificateRequest): string {
  const algorithm = sequence(oid('1.2.840.10045.4.3.2'))
  const body = sequence(
    context(0, integer(2)),
    integer(randomBytes(16)),
    algorithm,
    encodeName(request.issuer),
    sequence(time(request.from), time(request.until)),
    encodeName(request.subject),
    request.publicKey.export({ type: 'spki', format: 'der' }),
    context(
      3,
      sequence(
        encodeExtension('2.5.29.14', octets(getKeyId(request.publicKey))),
        encodeExtension('2.5.29.35', sequence(contextPrimitive(0, getKeyId(request.issuerKey)))),
        ...request.extensions,
      ),
    ),
  )
  const signature = sign('sha256', body, request.signingKey)
  return toPem(sequence(body, algorithm, bits(signature)))
}

/** Allows the authority to sign server certificates with permitted names, and no further authority. */
export function createAuthorityExtensions(permitted: readonly Buffer[]): Buffer[] {
  return [
    encodeExtension('2.5.29.19', sequence(trueValue(), integer(0)), 'critical'),
    // keyCertSign and cRLSign.
    encodeExtension('2.5.29.15', bits(Buffer.from([0x06]), 1), 'critical'),
    encodeExtension(
      '2.5.29.30',
      sequence(context(0, ...permitted.map((each) => sequence(each)))),
      'critical',
    ),
  ]
}

export function createServerExtensions(names: readonly string[]): Buffer[] {
  return [
    encodeExtension('2.5.29.19', sequence(), 'critical'),
    // digitalSignature.
    encodeExtension('2.5.29.15', bits(Buffer.from([0x80]), 7), 'critical'),
    // serverAuth.
    encodeExtension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1'))),
    encodeExtension('2.5.29.17', sequence(...names.map(encodeGeneralName))),
  ]
}

/** Permits a name and its subdomains. @example encodePermittedName('local') */
export function encodePermittedName(name: string): Buffer {
  return contextPrimitive(2, Buffer.from(name, 'ascii'))
}

/** Permits a network. @example encodePermittedNetwork('10.0.0.0', 8) */
export function encodePermittedNetwork(address: string, prefix: number): Buffer {
  const bytes = toAddressBytes(address)
  const mask = Buffer.from(
    bytes.map((_, index) => (0xff << (8 - Math.max(0, Math.min(8, prefix - index * 8)))) & 0xff),
  )
  return contextPrimitive(7, Buffer.concat([bytes, mask]))
}

function encodeGeneralName(text: string): Buffer {
  return isIP(text)
    ? contextPrimitive(7, toAddressBytes(text))
    : contextPrimitive(2, Buffer.from(text, 'ascii'))
}

/** Returns the bytes of an IPv4 or IPv6 address. */
export function toAddressBytes(address: string): Buffer {
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

function encodeExtension(id: string, value: Buffer, critical?: 'critical'): Buffer {
  return sequence(oid(id), ...(critical ? [trueValue()] : []), octets(value))
}

function encodeName(commonName: string): Buffer {
  return sequence(set(sequence(oid('2.5.4.3'), utf8(commonName))))
}

/** Returns the key identifier. */
function getKeyId(key: KeyObject): Buffer {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()
    .subarray(0, 20)
}

function toPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g)!
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

/** Encodes a DER element: tag, length and content. @example element(0x30, a, b) */
function element(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content)
  return Buffer.concat([Buffer.from([tag]), encodeLength(body.length), body])
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return Buffer.from([0x80 | bytes.length, ...bytes])
}

const sequence = (...content: readonly Buffer[]): Buffer => element(0x30, ...content)
const set = (...content: readonly Buffer[]): Buffer => element(0x31, ...content)
const octets = (content: Buffer): Buffer => element(0x04, content)
const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text))
const trueValue = (): Buffer => element(0x01, Buffer.from([0xff]))

/** Encodes a non-negative integer of any length. */
function integer(value: number | Buffer): Buffer {
  let bytes = typeof value === 'number' ? Buffer.from([value]) : value
  while (bytes.length > 1 && bytes[0] === 0 && bytes[1]! < 0x80) bytes = bytes.subarray(1)
  return element(0x02, ...(bytes[0]! >= 0x80 ? [Buffer.from([0])] : []), bytes)
}

/** Encodes a bit string; `unused` is the number of unused bits in its last byte. */
const bits = (content: Buffer, unused = 0): Buffer => element(0x03, Buffer.from([unused]), content)

/** A constructed context-specific element such as `[0]`. */
const context = (number: number, ...content: readonly Buffer[]): Buffer => element(0xa0 | number, ...content)
/** A primitive context-specific element, whose tag replaces the original one. */
const contextPrimitive = (number: number, content: Buffer): Buffer => element(0x80 | number, content)

/** @example oid('2.5.4.3') */
function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const bytes = [first * 40 + second]
  for (const part of rest) {
    const groups = [part & 0x7f]
    for (let left = part >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80)
    bytes.push(...groups)
  }
  return element(0x06, Buffer.from(bytes))
}

/** Encodes a time; years before 2050 have two digits, by RFC 5280. */
function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  return new Date(at).getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(digits.slice(2)))
    : element(0x18, Buffer.from(digits))
}
