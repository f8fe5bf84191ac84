import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Place } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { withFileLock } from '../../files/file-lock.ts'

/** Which session of an agent a caller's conversation goes on in, from run to run and process to process. */
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
      // Complete before it has its name: a reader sees the old file or the new one.
      const draft = `${this.#file}.${process.pid}`
      await writeFile(draft, `${JSON.stringify(entries, null, 2)}\n`, { mode: 0o600 })
      await rename(draft, this.#file)
    })
  }

  /** A file that is missing or broken holds no conversations; the next one that is kept mends it. */
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
