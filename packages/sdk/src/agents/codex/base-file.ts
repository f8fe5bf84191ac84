import { closeSync, existsSync, openSync, readSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseJson } from '@remora/protocol/plain'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { wordsIn } from './transcript-words.ts'

/** Codex looks no further than this for the prompt behind a cut: before it stand its instructions at most. */
const reach = 256 * 1024

/**
 * Someone who goes back makes Codex begin another file, which says how far the ones before it are still good. Finds the
 * first prompt behind that point: it was taken back, with all that followed.
 */
export function promptTakenBack(path: string, base: AgentRecord): string | undefined {
  const thread = asString(base['thread_id'])
  const offset = base['end_byte_offset']
  if (thread === undefined || typeof offset !== 'number' || !Number.isSafeInteger(offset) || offset < 0)
    return undefined
  try {
    for (const file of filesOf(thread, path)) {
      const lines = linesAt(file, offset)
      if (asRecord(lines[0])?.['ordinal'] === base['end_ordinal_exclusive']) return lines.flatMap(promptIn)[0]
    }
  } catch {
    // Moved or deleted meanwhile: then both branches are shown.
  }
  return undefined
}

/** The other files of a thread: of the same day, or of the day on which it began. */
function filesOf(thread: string, path: string): string[] {
  const here = dirname(path)
  const began = Number.parseInt(thread.replaceAll('-', '').slice(0, 12), 16)
  const days = Number.isNaN(began) ? [] : [-1, 0, 1].map((days) => dayFolder(here, began + days * 86_400_000))
  return [...new Set([here, ...days])].flatMap((folder) => {
    if (!existsSync(folder)) return []
    return readdirSync(folder)
      .filter((name) => name.includes(thread) && name.endsWith('.jsonl') && name !== basename(path))
      .map((name) => join(folder, name))
  })
}

function dayFolder(folder: string, time: number): string {
  const day = new Date(time)
  if (Number.isNaN(day.getTime())) return folder
  return join(folder, '..', '..', '..', ...day.toISOString().slice(0, 10).split('-'))
}

function linesAt(file: string, offset: number): unknown[] {
  const handle = openSync(file, 'r')
  try {
    const buffer = Buffer.alloc(reach)
    const text = buffer.toString('utf8', 0, readSync(handle, buffer, 0, reach, offset))
    return text.split('\n').flatMap((line) => {
      try {
        return [parseJson(line)]
      } catch {
        return []
      }
    })
  } finally {
    closeSync(handle)
  }
}

function promptIn(record: unknown): string[] {
  const fields = asRecord(record)
  const item = asRecord(fields?.['payload'])
  if (fields?.['type'] !== 'response_item' || item?.['type'] !== 'message' || item['role'] !== 'user')
    return []
  const id = asString(item['id'])
  return id === undefined || wordsIn(item).from === 'context' ? [] : [id]
}
