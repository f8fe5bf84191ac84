import { gzipSync } from 'node:zlib'

export interface PackedFile {
  readonly name: string
  readonly data: Buffer
}

const block = 512

/**
 * Packs files as a `.tar.gz`. The same files give the same bytes: it has no owner, and only the given time.
 *
 * @example tarGz([{ name: 'bundle/README.txt', data: Buffer.from('Hello') }], 0)
 */
export function tarGz(files: readonly PackedFile[], at: number): Buffer {
  const parts = files.flatMap(({ name, data }) => [
    header(name, data.length, Math.floor(at / 1000)),
    data,
    Buffer.alloc((block - (data.length % block)) % block),
  ])
  const packed = gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * block)]), { level: 9 })
  // The operating system is private, too.
  packed[9] = 255
  return packed
}

function header(name: string, size: number, seconds: number): Buffer {
  const bytes = Buffer.alloc(block)
  // A longer name would be cut silently.
  if (Buffer.byteLength(name) > 100) throw new RangeError(`${name} is too long for an archive`)
  bytes.write(name, 0, 'utf8')
  bytes.write(octal(0o600, 8), 100, 'latin1')
  bytes.write(octal(0, 8), 108, 'latin1')
  bytes.write(octal(0, 8), 116, 'latin1')
  bytes.write(octal(size, 12), 124, 'latin1')
  bytes.write(octal(Math.max(0, seconds), 12), 136, 'latin1')
  bytes.write(' '.repeat(8), 148, 'latin1')
  bytes.write('0', 156, 'latin1')
  bytes.write('ustar\u000000', 257, 'latin1')
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  bytes.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148, 'latin1')
  return bytes
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\u0000`
}
