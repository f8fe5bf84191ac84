import type { FileHandle } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { guessLanguage } from './language.ts'
import { sniff, textOfBytes } from './media-type.ts'
import { type Opened, mayBeSeen } from './open-below.ts'
import type { Roots } from './roots.ts'
import { type FolderEntry, listFolder } from './list-folder.ts'

export interface Range {
  /** The first line, from 1 on, and how many at most. */
  readonly from: number
  readonly count: number
}

interface Common {
  readonly path: string
  readonly name: string
  /** The folder around it, if that may be seen. */
  readonly parent?: string
  readonly modifiedAt: number
}

export type FileView =
  | (Common & { readonly kind: 'folder'; readonly entries: readonly FolderEntry[]; readonly more: number })
  | (Common & {
      readonly kind: 'text'
      readonly size: number
      readonly language?: string
      readonly from: number
      readonly text: string
      /** How many lines there are, as far as the file was read. */
      readonly lines: number
      /** There is more than was read, or than one answer holds. */
      readonly cut?: true
    })
  | (Common & { readonly kind: 'image' | 'binary'; readonly size: number; readonly mediaType?: string })

/** How much of a file is read, and how much of its text is in one answer. */
const readBytes = 10 * 1024 * 1024
const answerLength = 1_000_000

/** What a person sees of a file or a folder. @example const view = await viewFile(roots, opened, { from: 1, count: 2_000 }) */
export async function viewFile(roots: Roots, opened: Opened, range: Range): Promise<FileView> {
  const { path, stats, handle } = opened
  const parent = dirname(path)
  const common: Common = {
    path,
    name: basename(path),
    ...(parent !== path && mayBeSeen(roots, parent) ? { parent } : {}),
    modifiedAt: Math.round(stats.mtimeMs),
  }
  if (stats.isDirectory()) return { ...common, kind: 'folder', ...(await listFolder(roots, opened)) }
  const bytes = await readBounded(handle, readBytes)
  const { size } = stats
  const magic = sniff(bytes)
  if (magic?.kind === 'image') return { ...common, kind: 'image', size, mediaType: magic.mediaType }
  const cut = size > bytes.length
  const text = magic ? undefined : textOfBytes(bytes, cut)
  if (text === undefined)
    return { ...common, kind: 'binary', size, ...(magic ? { mediaType: magic.mediaType } : {}) }
  const language = guessLanguage(path, text)
  return { ...common, kind: 'text', size, ...(language ? { language } : {}), ...linesOf(text, range, cut) }
}

/** The beginning of what is open. @example const bytes = await readBounded(handle, 1_000) */
export async function readBounded(handle: FileHandle, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  while (size < most) {
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(Math.min(1024 * 1024, most - size)),
      0,
      undefined,
      size,
    )
    if (bytesRead === 0) break
    chunks.push(buffer.subarray(0, bytesRead))
    size += bytesRead
  }
  return Buffer.concat(chunks)
}

function linesOf(text: string, { from, count }: Range, cut: boolean) {
  const lines = text.split('\n')
  // What ends with a line break has no line behind it.
  if (lines.at(-1) === '' && lines.length > 1) lines.pop()
  const wanted = lines.slice(from - 1, from - 1 + count).join('\n')
  const shown = wanted.slice(0, answerLength)
  const more = cut || shown.length < wanted.length
  return { from, text: shown, lines: lines.length, ...(more ? { cut: true as const } : {}) }
}
