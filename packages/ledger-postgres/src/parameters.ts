import { encodeText } from './text-encoding.ts'

export function encodeParameter(value: unknown): unknown {
  if (typeof value === 'string') return encodeText(value)
  return Array.isArray(value) ? `{${value.map(encodeElement).join()}}` : value
}

/** Encodes an element of an array literal. */
function encodeElement(value: unknown): string {
  if (typeof value === 'string') return `"${encodeText(value).replace(/["\\]/g, '\\$&')}"`
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : 'NULL'
}

/* Arrays in PostgreSQL's binary format, which needs no escaping and no parsing. Used for the columns of many rows. */

export function encodeTextArray(values: readonly (string | null)[]): Buffer {
  const texts = values.map((value) => (value === null ? null : encodeText(value)))
  const lengths = new Int32Array(texts.length)
  let bytes = 0
  for (const [index, text] of texts.entries()) {
    lengths[index] = text === null ? -1 : Buffer.byteLength(text)
    if (text !== null) bytes += lengths[index]
  }
  const buffer = createArray(25, texts.length, bytes)
  let at = headBytes
  for (const [index, text] of texts.entries()) {
    at = buffer.writeInt32BE(lengths[index]!, at)
    if (text !== null) at += buffer.write(text, at)
  }
  return buffer
}

export function encodeBigintArray(values: readonly (number | null)[]): Buffer {
  return encodeFixedArray(20, 8, values, (buffer, value, at) => {
    buffer.writeInt32BE(Math.floor(value / 2 ** 32), at)
    buffer.writeInt32BE(value | 0, at + 4)
  })
}

export function encodeSmallintArray(values: readonly (number | null)[]): Buffer {
  return encodeFixedArray(21, 2, values, (buffer, value, at) => buffer.writeInt16BE(value, at))
}

export function encodeDoubleArray(values: readonly (number | null)[]): Buffer {
  return encodeFixedArray(701, 8, values, (buffer, value, at) => buffer.writeDoubleBE(value, at))
}

/** A parameter of the type uuid[], of hexadecimal digits without dashes. */
export function encodeUuidArray(values: readonly string[]): Buffer {
  return encodeFixedArray(2950, 16, values, (buffer, value, at) => buffer.write(value, at, 'hex'))
}

function encodeFixedArray<T>(
  type: number,
  width: number,
  values: readonly (T | null)[],
  write: (buffer: Buffer, value: T, at: number) => unknown,
): Buffer {
  const present = values.reduce((count, value) => (value === null ? count : count + 1), 0)
  const buffer = createArray(type, values.length, present * width)
  let at = headBytes
  for (const value of values) {
    at = buffer.writeInt32BE(value === null ? -1 : width, at)
    if (value === null) continue
    write(buffer, value, at)
    at += width
  }
  return buffer
}

const headBytes = 20

/** The header of a binary array: one dimension, with nulls, element type, length, lower bound 1. */
function createArray(type: number, count: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(headBytes + 4 * count + bytes)
  let at = 0
  for (const number of [1, 1, type, count, 1]) at = buffer.writeInt32BE(number, at)
  return buffer
}
