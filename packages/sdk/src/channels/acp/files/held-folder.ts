import { constants } from 'node:fs'
import { lstat, mkdir, open, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'

// The first two are undefined on Windows and have no effect there.
const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants

/**
 * A folder that is kept open, so that it cannot be replaced by another folder or a link while one of its files is used.
 *
 * @example
 * const folder = await HeldFolder.hold('/home/me/project', ['src'])
 * const file = await open(folder.at('main.ts'), constants.O_RDONLY | constants.O_NOFOLLOW)
 */
export class HeldFolder {
  readonly #handle: FileHandle
  readonly #path: string
  readonly #base: string

  private constructor(handle: FileHandle, path: string, base: string) {
    this.#handle = handle
    this.#path = path
    this.#base = base
  }

  /** Descends from a folder name by name, follows no links, and optionally creates missing folders. */
  static async hold(
    root: string,
    names: readonly string[],
    how: { make?: boolean } = {},
  ): Promise<HeldFolder> {
    let folder = await HeldFolder.#open(root, root)
    for (const name of names) {
      try {
        const next = await folder.#child(name, how.make === true)
        await folder.close()
        folder = next
      } catch (error) {
        await folder.close()
        throw error
      }
    }
    return folder
  }

  /** The path of an entry of exactly this folder. */
  at(name: string): string {
    return join(this.#base, name)
  }

  /** Throws if the folder was moved, for systems that cannot address an open folder. */
  async check(): Promise<void> {
    const [held, found] = await Promise.all([this.#handle.stat(), lstat(this.#path).catch(() => undefined)])
    if (found?.ino !== held.ino || found.dev !== held.dev)
      throw new RemoraError('permission', `${this.#path} was replaced meanwhile`)
  }

  close(): Promise<void> {
    return this.#handle.close()
  }

  async #child(name: string, make: boolean): Promise<HeldFolder> {
    const path = join(this.#path, name)
    if (make) {
      await this.check()
      await mkdir(this.at(name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      })
    }
    try {
      return await HeldFolder.#open(this.at(name), path)
    } catch (error) {
      const found = await lstat(this.at(name)).catch(() => undefined)
      if (found?.isSymbolicLink()) throw new RemoraError('permission', `${path} became a link meanwhile`)
      throw error
    }
  }

  static async #open(openAt: string, path: string): Promise<HeldFolder> {
    const handle = await open(openAt, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    try {
      // Linux addresses an open folder by its file descriptor, whatever happens to its path.
      const named = `/proc/self/fd/${handle.fd}`
      const [held, found] = await Promise.all([handle.stat(), stat(named).catch(() => undefined)])
      const base = found?.ino === held.ino && found.dev === held.dev ? named : path
      return new HeldFolder(handle, path, base)
    } catch (error) {
      await handle.close()
      throw error
    }
  }
}
