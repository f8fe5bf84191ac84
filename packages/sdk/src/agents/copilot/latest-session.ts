import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson } from '@remora/protocol/plain'
import type { Place } from '../../contract/agent.ts'
import { asRecord } from '../../events/fields.ts'
import { getSessionsFolder } from './home.ts'

/** The first record of a session is short. */
const headBytes = 64 * 1024

/** The id of the session in the working directory that was used last. @example await findLatestSession(place) */
export async function findLatestSession(place: Place): Promise<string | undefined> {
  const folder = getSessionsFolder(place)
  let latest: { readonly id: string; readonly at: number } | undefined
  for (const id of await readdir(folder).catch(() => [])) {
    const head = await readHead(join(folder, id, 'events.jsonl')).catch(() => undefined)
    if (head?.cwd === place.cwd && head.at > (latest?.at ?? 0)) latest = { id, at: head.at }
  }
  return latest?.id
}

async function readHead(path: string): Promise<{ cwd: unknown; at: number }> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    const [line = ''] = buffer.subarray(0, bytesRead).toString('utf8').split('\n', 1)
    const context = asRecord(asRecord(asRecord(parseJson(line))?.['data'])?.['context'])
    return { cwd: context?.['cwd'], at: (await file.stat()).mtimeMs }
  } finally {
    await file.close()
  }
}
