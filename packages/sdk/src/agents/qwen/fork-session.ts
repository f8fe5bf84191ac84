import { randomUUID } from 'node:crypto'
import { readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AcpFork, Place } from '../../contract/agent.ts'
import { getQwenFolder } from './home.ts'

/**
 * Copies a session under a new id. Qwen Code forks by itself only on the command line, and chooses the id, which nothing
 * shows.
 *
 * @example const fork = await forkSession(place, session)
 */
export async function forkSession(place: Place, session: string): Promise<AcpFork | undefined> {
  const root = join(getQwenFolder(place), 'projects')
  const id = randomUUID()
  for (const folder of await readdir(root).catch(() => [])) {
    const chats = join(root, folder, 'chats')
    const text = await readFile(join(chats, `${session}.jsonl`), 'utf8').catch(() => undefined)
    if (text === undefined) continue
    const path = join(chats, `${id}.jsonl`)
    // A quote in a text of the conversation is escaped.
    const copy = text.replaceAll(`"sessionId":"${session}"`, `"sessionId":"${id}"`)
    await writeFile(path, copy, { mode: 0o600, flag: 'wx' })
    const { size } = await stat(path)
    return {
      id,
      async discard() {
        const now = await stat(path).catch(() => undefined)
        if (now?.size === size) await rm(path, { force: true })
      },
    }
  }
  return undefined
}
