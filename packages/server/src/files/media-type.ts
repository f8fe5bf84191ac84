/** What a file is by its first bytes. */
export interface Sniffed {
  readonly mediaType: string
  readonly extension: string
  readonly kind: 'image' | 'document' | 'other'
}

interface Magic extends Sniffed {
  readonly at?: number
  readonly bytes: readonly number[]
  /** A second mark, for formats that share a container. */
  readonly and?: { readonly at: number; readonly text: string }
}

const text = (word: string): number[] => [...Buffer.from(word, 'latin1')]
const image = (extension: string, bytes: number[], more: Partial<Magic> = {}): Magic => ({
  mediaType: `image/${extension === 'jpg' ? 'jpeg' : extension}`,
  extension,
  kind: 'image',
  bytes,
  ...more,
})
const other = (mediaType: string, extension: string, bytes: number[]): Magic => ({
  mediaType,
  extension,
  kind: 'other',
  bytes,
})

const magics: readonly Magic[] = [
  image('png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  image('jpg', [0xff, 0xd8, 0xff]),
  image('gif', text('GIF87a')),
  image('gif', text('GIF89a')),
  image('webp', text('RIFF'), { and: { at: 8, text: 'WEBP' } }),
  image('avif', text('ftypavif'), { at: 4 }),
  { mediaType: 'application/pdf', extension: 'pdf', kind: 'document', bytes: text('%PDF-') },
  other('application/zip', 'zip', [0x50, 0x4b, 0x03, 0x04]),
  other('application/gzip', 'gz', [0x1f, 0x8b]),
  other('application/x-executable', 'bin', [0x7f, 0x45, 0x4c, 0x46]),
  other('application/x-msdownload', 'exe', text('MZ')),
  other('application/vnd.sqlite3', 'sqlite', text('SQLite format 3\0')),
]

/** @example sniff(bytes)?.mediaType // 'image/png' */
export function sniff(bytes: Uint8Array): Sniffed | undefined {
  const found = magics.find(
    ({ at = 0, bytes: mark, and }) =>
      mark.every((byte, index) => bytes[at + index] === byte) &&
      (and === undefined ||
        Buffer.from(bytes.subarray(and.at, and.at + and.text.length)).toString('latin1') === and.text),
  )
  return found && { mediaType: found.mediaType, extension: found.extension, kind: found.kind }
}

/** The text that bytes are, if they are UTF-8 without control signs. A sign that is cut at the end is left out. */
export function textOfBytes(bytes: Uint8Array, cut = false): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut })
  } catch {
    return undefined
  }
}
