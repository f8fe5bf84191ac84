/** The type of a file by its first bytes. */
export interface FileType {
  readonly mediaType: string
  readonly extension: string
  readonly kind: 'image' | 'document' | 'other'
}

interface Signature extends FileType {
  readonly at?: number
  readonly bytes: readonly number[]
  /** A second signature, for formats that share a container. */
  readonly and?: { readonly at: number; readonly text: string }
}

const toBytes = (text: string): number[] => [...Buffer.from(text, 'latin1')]
const createImage = (extension: string, bytes: number[], more: Partial<Signature> = {}): Signature => ({
  mediaType: `image/${extension === 'jpg' ? 'jpeg' : extension}`,
  extension,
  kind: 'image',
  bytes,
  ...more,
})
const createOther = (mediaType: string, extension: string, bytes: number[]): Signature => ({
  mediaType,
  extension,
  kind: 'other',
  bytes,
})

const signatures: readonly Signature[] = [
  createImage('png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  createImage('jpg', [0xff, 0xd8, 0xff]),
  createImage('gif', toBytes('GIF87a')),
  createImage('gif', toBytes('GIF89a')),
  createImage('webp', toBytes('RIFF'), { and: { at: 8, text: 'WEBP' } }),
  createImage('avif', toBytes('ftypavif'), { at: 4 }),
  { mediaType: 'application/pdf', extension: 'pdf', kind: 'document', bytes: toBytes('%PDF-') },
  createOther('application/zip', 'zip', [0x50, 0x4b, 0x03, 0x04]),
  createOther('application/gzip', 'gz', [0x1f, 0x8b]),
  createOther('application/x-executable', 'bin', [0x7f, 0x45, 0x4c, 0x46]),
  createOther('application/x-msdownload', 'exe', toBytes('MZ')),
  createOther('application/vnd.sqlite3', 'sqlite', toBytes('SQLite format 3\0')),
]

/** @example detectType(bytes)?.mediaType // 'image/png' */
export function detectType(bytes: Uint8Array): FileType | undefined {
  const found = signatures.find(
    ({ at = 0, bytes: mark, and }) =>
      mark.every((byte, index) => bytes[at + index] === byte) &&
      (and === undefined ||
        Buffer.from(bytes.subarray(and.at, and.at + and.text.length)).toString('latin1') === and.text),
  )
  return found && { mediaType: found.mediaType, extension: found.extension, kind: found.kind }
}

/** Decodes UTF-8 text; undefined for other bytes. A truncated character at the end is dropped. */
export function decodeText(bytes: Uint8Array, cut = false): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut })
  } catch {
    return undefined
  }
}
