import { closeSync, existsSync, openSync, readSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseJson } from '@remora/protocol/plain'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { readUserMessage } from './user-message.ts'

/** The prompt after a rewind point is within this many bytes: only instructions may precede it. */
const maxBytes = 256 * 1024

/**
 * After a rewind Codex starts another file, which names the byte offset up to which the previous file is valid. Finds the
 * first prompt after that offset, which was withdrawn with everything after it.
 */
export function findWithdrawnPrompt(path: string, base: AgentRecord): string | undefined {
  const thread = asString(base['thread_id'])
  const offset = base['end_byte_offset']
  if (thread === undefined || typeof offset !== 'number' || !Number.isSafeInteger(offset) || offset < 0)
    return undefined
  try {
    for (const file of listFiles(thread, path)) {
      const lines = readRecordsAt(file, offset)
      if (asRecord(lines[0])?.['ordinal'] === base['end_ordinal_exclusive'])
        return lines.flatMap(getPromptId)[0]
    }
  } catch {
    // The file was moved or deleted: then both branches are shown.
  }
  return undefined
}

/** The other files of a thread, in the folder of this file or of the day on which the thread started. */
function listFiles(thread: string, path: string): string[] {
  const here = dirname(path)
  const started = Number.parseInt(thread.replaceAll('-', '').slice(0, 12), 16)
  const days = Number.isNaN(started)
    ? []
    : [-1, 0, 1].map((days) => getDayFolder(here, started + days * 86_400_000))
  return [...new Set([here, ...days])].flatMap((folder) => {
    if (!existsSync(folder)) return []
    return readdirSync(folder)
      .filter((name) => name.includes(thread) && name.endsWith('.jsonl') && name !== basename(path))
      .map((name) => join(folder, name))
  })
}

function getDayFolder(folder: string, time: number): string {
  const day = new Date(time)
  if (Number.isNaN(day.getTime())) return folder
  return join(folder, '..', '..', '..', ...day.toISOString().slice(0, 10).split('-'))
}

function readRecordsAt(file: string, offset: number): unknown[] {
  const handle = openSync(file, 'r')
  try {
    const buffer = Buffer.alloc(maxBytes)
    const text = buffer.toString('utf8', 0, readSync(handle, buffer, 0, maxBytes, offset))
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

function getPromptId(record: unknown): string[] {
  const fields = asRecord(record)
  const item = asRecord(fields?.['payload'])
  if (fields?.['type'] !== 'response_item' || item?.['type'] !== 'message' || item['role'] !== 'user')
    return []
  const id = asString(item['id'])
  return id === undefined || readUserMessage(item).from === 'context' ? [] : [id]
}
