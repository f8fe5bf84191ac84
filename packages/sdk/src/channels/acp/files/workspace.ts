import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { access, type FileHandle, lstat, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, isAbsolute, relative, sep } from 'node:path'
import { type ErrorCode, RemoraError } from '@remora/protocol/plain'
import { asString } from '../../../events/fields.ts'
import type { AgentRecord } from '../../../events/read-record.ts'
import { HeldFolder } from './held-folder.ts'
import { isInside, resolveRealPath } from './real-path.ts'

export interface WorkspaceOptions {
  readonly read?: boolean | undefined
  readonly write?: boolean | undefined
  /** The maximum size of a file in bytes; ten million by default. */
  readonly fileBytes?: number | undefined
}

// Non-blocking, because opening a pipe without a writer would never return. Undefined on Windows like O_NOFOLLOW, with
// no effect.
const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants

/**
 * The files of one folder, for an agent that reads and writes through the client. Nothing outside is ever touched,
 * whatever links exist or are created meanwhile.
 *
 * @example await new Workspace('/home/me/project', { read: true }).read({ path: '/home/me/project/a.txt' })
 */
export class Workspace {
  readonly #root: string
  readonly #options: WorkspaceOptions
  readonly #fileBytes: number

  constructor(root: string, options: WorkspaceOptions = {}) {
    if (!isAbsolute(root)) throw new RemoraError('usage', `The workspace ${root} is not an absolute path`)
    this.#root = root
    this.#options = options
    this.#fileBytes = options.fileBytes ?? 10_000_000
  }

  /** Answers `fs/read_text_file`. */
  async read(params: AgentRecord): Promise<{ content: string }> {
    const path = this.#allowed('read', params)
    const part = { line: whole(params, 'line'), limit: whole(params, 'limit') }
    return this.#inFolder(path, {}, async (folder, name) => {
      // Checked before it is opened, because opening a device may have side effects.
      this.#checkFile(path, await lstat(folder.at(name)))
      const file = await open(folder.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      try {
        this.#checkFile(path, await file.stat())
        await folder.check()
        return { content: selectLines(textFrom(path, await this.#bytes(path, file)), part) }
      } finally {
        await file.close()
      }
    })
  }

  /** Answers `fs/write_text_file`. The write is atomic. */
  async write(params: AgentRecord): Promise<Record<string, never>> {
    const path = this.#allowed('write', params)
    const content = asString(params['content'])
    if (content === undefined) throw new RemoraError('input', `There is no content for ${path}`)
    const bytes = Buffer.from(content)
    if (bytes.length > this.#fileBytes) throw this.#tooLarge(path)
    return this.#inFolder(path, { make: true }, async (folder, name) => {
      const before = await lstat(folder.at(name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
      })
      if (before) {
        this.#checkFile(path, before, { anySize: true })
        // The file could be replaced, but its write protection is intended.
        await access(folder.at(name), constants.W_OK)
      }
      if (!(await replace(folder, name, bytes, before?.mode)))
        await this.#overwrite(folder, name, bytes, path)
      return {}
    })
  }

  #allowed(what: 'read' | 'write', params: AgentRecord): string {
    const path = asString(params['path']) ?? ''
    if (this.#options[what] !== true)
      throw new RemoraError('permission', `The agent may not ${what} files through this client`, {
        hint: `Allow it with files: { ${what}: true }.`,
      })
    if (!isAbsolute(path) || path.includes('\0'))
      throw new RemoraError('input', `${JSON.stringify(path)} is not an absolute path`)
    return path
  }

  /** Keeps the folder of a file open during an operation. */
  async #inFolder<T>(
    path: string,
    how: { make?: boolean },
    act: (folder: HeldFolder, name: string) => Promise<T>,
  ): Promise<T> {
    try {
      const [root, place] = await Promise.all([resolveRealPath(this.#root), resolveRealPath(path)])
      if (!isInside(root, place))
        throw new RemoraError('permission', `${path} is outside of the workspace ${this.#root}`)
      if (place === root || /[\\/]$/.test(path)) throw new RemoraError('input', `${path} is a folder`)
      const names = relative(root, dirname(place)).split(sep).filter(Boolean)
      const folder = await HeldFolder.hold(root, names, how)
      try {
        return await act(folder, basename(place))
      } finally {
        await folder.close()
      }
    } catch (error) {
      throw fileError(error, path)
    }
  }

  #checkFile(path: string, found: Stats, how: { anySize?: boolean } = {}): void {
    if (found.isDirectory()) throw new RemoraError('input', `${path} is a folder`)
    if (!found.isFile()) throw new RemoraError('permission', `${path} is not a regular file`)
    if (how.anySize !== true && found.size > this.#fileBytes) throw this.#tooLarge(path)
  }

  /** Reads the whole file, which may have grown since its size was read. */
  async #bytes(path: string, file: FileHandle): Promise<Buffer> {
    const chunks: Buffer[] = []
    let total = 0
    for (;;) {
      const chunk = Buffer.allocUnsafe(256 * 1024)
      const { bytesRead } = await file.read(chunk, 0, chunk.length, null)
      if (bytesRead === 0) return Buffer.concat(chunks)
      total += bytesRead
      if (total > this.#fileBytes) throw this.#tooLarge(path)
      chunks.push(chunk.subarray(0, bytesRead))
    }
  }

  /** Overwrites the old file if the folder accepts no new one. */
  async #overwrite(folder: HeldFolder, name: string, bytes: Buffer, path: string): Promise<void> {
    const file = await open(folder.at(name), O_WRONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      this.#checkFile(path, await file.stat(), { anySize: true })
      await folder.check()
      await file.truncate(0)
      await file.writeFile(bytes)
    } finally {
      await file.close()
    }
  }

  #tooLarge(path: string): RemoraError {
    return new RemoraError('input', `${path} is larger than ${this.#fileBytes} bytes`)
  }
}

/** Replaces a file by a new one; false if only the file is writable, not the folder. */
async function replace(folder: HeldFolder, name: string, bytes: Buffer, mode?: number): Promise<boolean> {
  const fresh = folder.at(`.remora-${randomBytes(9).toString('base64url')}`)
  let file: FileHandle
  try {
    await folder.check()
    file = await open(fresh, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o666)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (mode !== undefined && (code === 'EACCES' || code === 'EPERM')) return false
    throw error
  }
  try {
    try {
      if (mode !== undefined) await file.chmod(mode & 0o777)
      await file.writeFile(bytes)
      await file.datasync()
    } finally {
      await file.close()
    }
    await folder.check()
    // Replaces whatever has the name now, and follows no link.
    await rename(fresh, folder.at(name))
    return true
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
}

function whole(params: AgentRecord, name: string): number | undefined {
  const value = params[name] ?? undefined
  if (value === undefined) return undefined
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw new RemoraError('input', `${name} is ${JSON.stringify(value)}, not a whole number`)
  return value as number
}

const known: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOENT: ['not_found', 'does not exist'],
  ENOTDIR: ['not_found', 'does not exist: a part of its path is no folder'],
  EACCES: ['permission', 'may not be used by this user'],
  EPERM: ['permission', 'may not be used by this user'],
  EROFS: ['permission', 'is on a disk that may only be read'],
  // The entry has become a link, or the file a pipe.
  ELOOP: ['permission', 'became a link meanwhile'],
  ENXIO: ['permission', 'is not a regular file'],
  EISDIR: ['input', 'is a folder'],
  ENAMETOOLONG: ['input', 'has too long a name'],
}

/** Converts a system error to a message for the agent. */
function fileError(error: unknown, path: string): RemoraError {
  if (RemoraError.is(error)) return error
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? ''
  const [word, message] = known[code] ?? (['unknown', `cannot be used (${code || String(error)})`] as const)
  return new RemoraError(word, `${path} ${message}`, { cause: error })
}

/** Reads a file as text. Invalid UTF-8 is refused, because writing it back would change it. */
function textFrom(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new RemoraError('input', `${path} is no text in UTF-8`, { cause })
  }
}

/**
 * Selects lines of a text with their line endings; the first line is 1.
 *
 * @example selectLines('a\nb\nc\n', { line: 2, limit: 1 }) // 'b\n'
 */
function selectLines(text: string, part: { line?: number | undefined; limit?: number | undefined }): string {
  const start = after(text, 0, Math.max(0, (part.line ?? 1) - 1))
  return part.limit === undefined ? text.slice(start) : text.slice(start, after(text, start, part.limit))
}

/** The offset after this many lines. */
function after(text: string, from: number, lines: number): number {
  let place = from
  for (let line = 0; line < lines && place < text.length; line++) {
    const end = text.indexOf('\n', place)
    place = end === -1 ? text.length : end + 1
  }
  return place
}
