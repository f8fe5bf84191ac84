import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { HttpError } from '../security/http-error.ts'
import type { Collection, Store } from '../core/store.ts'
import { detectType, decodeText } from './media-type.ts'

/** A file that the user attached to a prompt. */
export interface Upload {
  readonly id: string
  /** The original name; the stored file has another. */
  readonly name: string
  readonly kind: 'image' | 'document'
  readonly mediaType: string
  readonly size: number
  readonly path: string
  readonly at: number
}

export interface UploadsOptions {
  readonly remoraHome: string
  readonly store: Store
  /** The size limit of one file, and of all stored files. */
  readonly maxBytes?: number
  readonly maxTotal?: number
  readonly keepMs?: number
  readonly now?: () => number
}

export const uploadBytes = 10 * 1024 * 1024
const totalBytes = 500 * 1024 * 1024
const keepMs = 7 * 24 * 3_600_000
const maxUploads = 1_000

/** Text types by extension; other text is stored as `.txt`. */
const textTypes: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.json': 'application/json',
}

/**
 * Files for prompts: images and documents, whose type is detected from the content.
 *
 * @example const { path } = await uploads.add({ name: 'screen.png', bytes })
 */
export class Uploads {
  readonly #folder: string
  readonly #collection: Collection<Upload>
  readonly #options: Required<Omit<UploadsOptions, 'remoraHome' | 'store'>>
  /** Serializes additions, so that the total limit holds. */
  #work: Promise<unknown> = Promise.resolve()

  constructor({ remoraHome, store, ...options }: UploadsOptions) {
    this.#folder = join(remoraHome, 'uploads')
    this.#collection = store.collection('uploads')
    this.#options = { maxBytes: uploadBytes, maxTotal: totalBytes, keepMs, now: Date.now, ...options }
  }

  get maxBytes(): number {
    return this.#options.maxBytes
  }

  add(file: {
    readonly name: string
    readonly bytes: Uint8Array
    readonly mediaType?: string
  }): Promise<Upload> {
    const upload = this.#work.then(() => this.#add(file))
    this.#work = upload.catch(() => {})
    return upload
  }

  /** Lists uploads, latest first. */
  async list(): Promise<Upload[]> {
    return [...(await this.#collection.all()).values()].toSorted((left, right) => right.at - left.at)
  }

  async get(id: string): Promise<Upload> {
    const found = await this.#collection.get(id)
    if (!found) throw new RemoraError('not_found', 'Upload not found')
    return found
  }

  async remove(id: string): Promise<void> {
    const { path } = await this.get(id)
    await rm(path, { force: true })
    await this.#collection.remove(id)
  }

  /** Removes expired uploads and orphaned files. */
  async clean(): Promise<number> {
    const before = this.#options.now() - this.#options.keepMs
    const all = await this.list()
    const old = all.filter(({ at }) => at < before)
    for (const { id } of old) await this.remove(id)
    const known = new Set(all.map(({ path }) => basename(path)))
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const path = join(this.#folder, name)
      const stats = await stat(path).catch(() => undefined)
      if (stats?.isFile() && !known.has(name) && stats.mtimeMs < before) await rm(path, { force: true })
    }
    return old.length
  }

  async #add({
    name,
    bytes,
    mediaType: claimed,
  }: {
    name: string
    bytes: Uint8Array
    mediaType?: string
  }): Promise<Upload> {
    const { maxBytes, maxTotal, now } = this.#options
    if (bytes.length === 0) throw new RemoraError('input', 'The file is empty')
    if (bytes.length > maxBytes) throw createFileSizeError(maxBytes)
    const type = detectUploadType(name, bytes, claimed)
    const all = await this.list()
    const total = all.reduce((sum, { size }) => sum + size, bytes.length)
    if (total > maxTotal || all.length >= maxUploads)
      throw new RemoraError('quota', 'Upload storage is full', {
        hint: 'Delete some uploads, or wait: they expire after a week.',
      })
    const random = randomBytes(16).toString('hex')
    const path = join(this.#folder, `${random}.${type.extension}`)
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await chmod(this.#folder, 0o700)
    const draft = `${path}.part`
    await writeFile(draft, bytes, { mode: 0o600, flag: 'wx' })
    await rename(draft, path)
    const upload: Upload = {
      id: `u-${random}`,
      name: cleanName(name, type.extension),
      kind: type.kind,
      mediaType: type.mediaType,
      size: bytes.length,
      path,
      at: now(),
    }
    await this.#collection.put(upload.id, upload)
    return upload
  }
}

/** Creates the content block of a prompt. @example const block = toContentBlock(upload) */
export function toContentBlock({ kind, mediaType, path, name }: Upload) {
  return { type: kind, source: { type: 'file' as const, media_type: mediaType, path }, name }
}

export function createFileSizeError(maxBytes: number): HttpError {
  const message = `The file is larger than ${Math.floor(maxBytes / 1024 / 1024)} MB`
  return new HttpError(413, 'input', message, 'Make it smaller, or put its path in the prompt.')
}

function detectUploadType(
  name: string,
  bytes: Uint8Array,
  claimed = '',
): { kind: Upload['kind']; mediaType: string; extension: string } {
  const type = detectType(bytes)
  const extension = extname(name).toLowerCase()
  if (type) {
    if (type.kind === 'other') throw createTypeError(`${type.mediaType} is not supported`)
    const declared = [claimed.split(';')[0]!.trim().toLowerCase(), namedTypes[extension]].filter(
      (each) => each && each !== 'application/octet-stream',
    )
    const mismatch = declared.find((each) => each !== type.mediaType)
    if (mismatch) throw createTypeError(`The file is ${type.mediaType}, not ${mismatch}`)
    return { kind: type.kind, mediaType: type.mediaType, extension: type.extension }
  }
  const text = decodeText(bytes)
  // eslint-disable-next-line no-control-regex
  if (text === undefined || /[\x01-\x08\x0e-\x1a\x1c-\x1f]/.test(text))
    throw createTypeError('Unknown file type')
  // Text with the name of an image or PDF is rejected.
  const named = namedTypes[extension] ?? (/^(?:image|audio|video)\//.test(claimed) ? claimed : undefined)
  if (named !== undefined && extension !== '.svg') throw createTypeError(`The file is text, not ${named}`)
  const mediaType = textTypes[extension] ?? 'text/plain'
  return { kind: 'document', mediaType, extension: textTypes[extension] ? extension.slice(1) : 'txt' }
}

const namedTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.pdf': 'application/pdf',
}

function createTypeError(message: string): RemoraError {
  return new RemoraError('input', message, {
    hint: 'Supported: images (PNG, JPEG, GIF, WebP, AVIF), PDF and text.',
  })
}

/** Cleans the original name, which is only shown. */
function cleanName(name: string, extension: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  // Bidirectional characters make one name look like another.
  const clean = last
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
    .slice(0, 100)
  return clean === '' || /^\.+$/.test(clean) ? `file.${extension}` : clean
}
