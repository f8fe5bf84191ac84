import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { LostSession, Place, Restoration } from '../../contract/agent.ts'
import { parseTime } from '../../events/event-maker.ts'
import { defined, asRecord, asString } from '../../events/fields.ts'
import { joinLines, groupByTranscript, collectRawLines } from '../../dialects/raw-lines.ts'
import { getCodexFolder } from './home.ts'

/** Restores the rollouts of a thread under their former names. */
export async function restore(place: Place, { session, cwd, events }: LostSession): Promise<Restoration> {
  const root = join(getCodexFolder(place), 'sessions')
  const intact = await find(root, session)
  if (intact !== undefined) return { files: [], damaged: [], intact }
  // A sub-agent is a thread of its own. A rewind starts another file of the same thread.
  const files = [...groupByTranscript(events)].flatMap(([thread, own]) =>
    collectRawLines(own).map((lines, index) => {
      const name = (thread || session) + (index === 0 ? '' : `_${randomUUID()}`)
      return { path: join(root, toPath(name, lines[0]!)), text: joinLines(lines) }
    }),
  )
  if (!files.some(({ path }) => path.includes(session)))
    throw new RemoraError('not_found', `The lines of session ${session} are not kept`, {
      hint: 'remora import keeps what there is, before the CLI deletes it.',
    })
  return { files, damaged: [], ...defined({ cwd }) }
}

async function find(root: string, session: string): Promise<string | undefined> {
  for (const folder of [root, join(dirname(root), 'archived_sessions')]) {
    const names = await readdir(folder, { recursive: true }).catch(() => [])
    const name = names.find((each) => each.includes(`-${session}`) && each.endsWith('.jsonl'))
    if (name !== undefined) return join(folder, name)
  }
  return undefined
}

/** Folders and names are in local time. @example '2026/01/02/rollout-2026-01-02T03-04-05-0199….jsonl' */
function toPath(name: string, line: string): string {
  const record = asRecord(parse(line))
  const meta = asRecord(record?.['payload']) ?? record
  const at = new Date(
    parseTime(asString(meta?.['timestamp'])) ?? parseTime(asString(record?.['timestamp'])) ?? 0,
  )
  const day = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(twoDigits)
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits)
  return join(...day, `rollout-${day.join('-')}T${time.join('-')}-${name}.jsonl`)
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
