import { type FileHandle, lstat, opendir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { guessLanguage } from './language.ts'
import { decodeText, detectType } from './media-type.ts'
import { type Opened, isAllowed } from './open-below.ts'
import type { Roots } from './roots.ts'
import type { Dirent } from 'node:fs'

export interface Range {
  /** The first line, counted from 1, and the maximum number of lines. */
  readonly from: number
  readonly count: number
}

interface Common {
  readonly path: string
  readonly name: string
  /** The parent folder, if it is allowed. */
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
      /** The number of lines in the part of the file that was read. */
      readonly lines: number
      /** Whether the file has more text than was read or returned. */
      readonly cut?: true
    })
  | (Common & { readonly kind: 'image' | 'binary'; readonly size: number; readonly mediaType?: string })

/** How much of a file is read, and how much of its text is returned. */
const maxReadBytes = 10 * 1024 * 1024
const maxTextLength = 1_000_000

/** Reads a file or folder for display. @example const view = await viewFile(roots, opened, { from: 1, count: 2_000 }) */
export async function viewFile(roots: Roots, opened: Opened, range: Range): Promise<FileView> {
  const { path, stats, handle } = opened
  const parent = dirname(path)
  const common: Common = {
    path,
    name: basename(path),
    ...(parent !== path && isAllowed(roots, parent) ? { parent } : {}),
    modifiedAt: Math.round(stats.mtimeMs),
  }
  if (stats.isDirectory()) return { ...common, kind: 'folder', ...(await listFolder(roots, opened)) }
  const bytes = await readBounded(handle, maxReadBytes)
  const { size } = stats
  const type = detectType(bytes)
  if (type?.kind === 'image') return { ...common, kind: 'image', size, mediaType: type.mediaType }
  const cut = size > bytes.length
  const text = type ? undefined : decodeText(bytes, cut)
  if (text === undefined)
    return { ...common, kind: 'binary', size, ...(type ? { mediaType: type.mediaType } : {}) }
  const language = guessLanguage(path, text)
  return {
    ...common,
    kind: 'text',
    size,
    ...(language ? { language } : {}),
    ...selectLines(text, range, cut),
  }
}

/** Reads at most `maxBytes` from the start of a file. @example const bytes = await readBounded(handle, 1_000) */
export async function readBounded(handle: FileHandle, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  while (size < maxBytes) {
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(Math.min(1024 * 1024, maxBytes - size)),
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

function selectLines(text: string, { from, count }: Range, cut: boolean) {
  const lines = text.split('\n')
  // A final line break does not start another line.
  if (lines.at(-1) === '' && lines.length > 1) lines.pop()
  const selected = lines.slice(from - 1, from - 1 + count).join('\n')
  const shown = selected.slice(0, maxTextLength)
  const more = cut || shown.length < selected.length
  return { from, text: shown, lines: lines.length, ...(more ? { cut: true as const } : {}) }
}

export interface FolderEntry {
  readonly name: string
  /** The kind of a link is the kind of its target, which must be allowed too. */
  readonly kind: 'folder' | 'file' | 'other'
  readonly link?: true
  readonly size?: number
  readonly modifiedAt?: number
}

const maxEntries = 2_000
const maxRead = 20_000

/** Lists a folder, folders first, without files that may contain secrets. */
async function listFolder(
  roots: Roots,
  { handlePath, path }: Opened,
): Promise<{ entries: FolderEntry[]; more: number }> {
  const found: Dirent[] = []
  let count = 0
  for await (const entry of await opendir(handlePath)) {
    if (++count > maxRead) break
    const isCandidate = entry.isSymbolicLink() || isAllowed(roots, join(path, entry.name))
    if (isCandidate) found.push(entry)
  }
  found.sort((left, right) => getRank(left) - getRank(right) || (left.name < right.name ? -1 : 1))
  const entries: FolderEntry[] = []
  for (const entry of found.slice(0, maxEntries)) {
    const folderEntry = await readEntry(roots, handlePath, path, entry)
    if (folderEntry) entries.push(folderEntry)
  }
  return { entries, more: Math.max(0, found.length - maxEntries) + Math.max(0, count - maxRead) }
}

async function readEntry(
  roots: Roots,
  handlePath: string,
  path: string,
  entry: Dirent,
): Promise<FolderEntry | undefined> {
  const { name } = entry
  try {
    if (entry.isSymbolicLink()) {
      const target = await realpath(join(path, name)).catch(() => undefined)
      if (target === undefined || !isAllowed(roots, target)) return undefined
      const stats = await stat(target)
      return { name, link: true, kind: stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other' }
    }
    const stats = await lstat(join(handlePath, name))
    const kind = stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other'
    const size = kind === 'file' ? { size: stats.size } : {}
    return { name, kind, ...size, modifiedAt: Math.round(stats.mtimeMs) }
  } catch {
    // The entry was removed in the meantime.
    return undefined
  }
}

function getRank(entry: Dirent): number {
  return entry.isDirectory() ? 0 : 1
}
