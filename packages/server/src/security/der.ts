/** Encodes a DER element: tag, length and content. @example element(0x30, a, b) */
export function element(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content)
  return Buffer.concat([Buffer.from([tag]), encodeLength(body.length), body])
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return Buffer.from([0x80 | bytes.length, ...bytes])
}

export const sequence = (...content: readonly Buffer[]): Buffer => element(0x30, ...content)
export const set = (...content: readonly Buffer[]): Buffer => element(0x31, ...content)
export const octets = (content: Buffer): Buffer => element(0x04, content)
export const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text))
export const trueValue = (): Buffer => element(0x01, Buffer.from([0xff]))

/** Encodes a non-negative integer of any length. */
export function integer(value: number | Buffer): Buffer {
  let bytes = typeof value === 'number' ? Buffer.from([value]) : value
  while (bytes.length > 1 && bytes[0] === 0 && bytes[1]! < 0x80) bytes = bytes.subarray(1)
  return element(0x02, ...(bytes[0]! >= 0x80 ? [Buffer.from([0])] : []), bytes)
}

/** Encodes a bit string; `unused` is the number of unused bits in its last byte. */
export const bits = (content: Buffer, unused = 0): Buffer => element(0x03, Buffer.from([unused]), content)

/** A constructed context-specific element such as `[0]`. */
export const context = (number: number, ...content: readonly Buffer[]): Buffer =>
  element(0xa0 | number, ...content)
/** A primitive context-specific element, whose tag replaces the original one. */
export const contextPrimitive = (number: number, content: Buffer): Buffer => element(0x80 | number, content)

/** @example oid('2.5.4.3') */
export function oid(text: string): Buffer {
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
export function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  return new Date(at).getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(digits.slice(2)))
    : element(0x18, Buffer.from(digits))
}
