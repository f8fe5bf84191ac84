import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Place } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { withFileLock } from '../../files/file-lock.ts'

/** Stores the session of each of the caller's conversations across runs and processes. */
export class Conversations {
  readonly #file: string

  constructor(place: Pick<Place, 'env' | 'home'>) {
    this.#file = join(place.env['REMORA_HOME'] || join(place.home, '.remora'), 'conversations.json')
  }

  /** @example await conversations.find('gemini', 'telegram:42') */
  async find(agent: string, key: string): Promise<string | undefined> {
    return asString((await this.#read())[toEntryKey(agent, key)])
  }

  async set(agent: string, key: string, session: string | undefined): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
    await withFileLock(this.#file, async () => {
      const entries = { ...(await this.#read()), [toEntryKey(agent, key)]: session }
      // Write and rename, so that a reader sees the old file or the new one.
      const draft = `${this.#file}.${process.pid}`
      await writeFile(draft, `${JSON.stringify(entries, null, 2)}\n`, { mode: 0o600 })
      await rename(draft, this.#file)
    })
  }

  /** A missing or invalid file has no conversations; the next `set` replaces it. */
  async #read(): Promise<Readonly<Record<string, unknown>>> {
    try {
      return asRecord(JSON.parse(await readFile(this.#file, 'utf8'))) ?? {}
    } catch {
      return {}
    }
  }
}

function toEntryKey(agent: string, key: string): string {
  return `${agent} ${key}`
}
