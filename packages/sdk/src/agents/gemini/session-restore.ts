import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Problem } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { type CopiedFile, type SessionCopy, keptName } from './session-copy.ts'
import { describeSession } from './session-files.ts'

/** Compares a session with its copy and restores what is lost. `keep` means that the copy is still needed. */
export async function restoreSession(copy: SessionCopy): Promise<{ problems: Problem[]; keep: boolean }> {
  const states = await Promise.all(copy.items.map((item) => restore(item)))
  if (states.includes('doubtful')) return { problems: [doubtful(copy)], keep: true }
  if (states.includes('failed')) return { problems: [lost(copy)], keep: true }
  return { problems: states.includes('restored') ? [restored(copy)] : [], keep: false }
}

/** The intact session, or the content to restore. */
type RestoredContent = 'whole' | 'doubtful' | { readonly text: string }

type State = 'whole' | 'restored' | 'doubtful' | 'failed'

async function restore(item: CopiedFile): Promise<State> {
  try {
    const before = await readFile(item.copy)
    const now = await readFile(item.path).catch(() => undefined)
    if (!item.session) {
      if (now) return 'whole'
      await mkdir(dirname(item.path), { recursive: true })
      await copyFile(item.copy, item.path)
      return 'restored'
    }
    const content = item.path.endsWith('.jsonl')
      ? restoreLines(item.path, before, now)
      : restoreObject(item.path, before, now)
    if (typeof content === 'string') return content
    await replace(item.path, content.text)
    return 'restored'
  } catch {
    return 'failed'
  }
}

/** The file is append-only, so it has to start with the copy. */
function restoreLines(path: string, before: Buffer, now: Buffer | undefined): RestoredContent {
  const old = before.toString('utf8')
  const text = now?.toString('utf8') ?? ''
  const whole = now?.subarray(0, before.length).equals(before) === true
  if (whole && (describeSession(path, text).spoken || !describeSession(path, old).spoken)) return 'whole'
  const known = new Set(old.split('\n'))
  // A start that found no history wrote an empty list. Restoring that would lose everything again.
  const added = text.split('\n').filter((line) => line !== '' && !known.has(line) && !resetsHistory(line))
  return { text: [old.replace(/\n$/, ''), ...added, ''].join('\n') }
}

/** The file is rewritten every time and must contain every message of the copy. */
function restoreObject(path: string, before: Buffer, now: Buffer | undefined): RestoredContent {
  const old = before.toString('utf8')
  const text = now?.toString('utf8') ?? ''
  if (describeSession(path, old).spoken && !describeSession(path, text).spoken) return { text: old }
  const ids = messageIds(text)
  return messageIds(old).every((id) => ids.includes(id)) ? 'whole' : 'doubtful'
}

function messageIds(text: string): string[] {
  try {
    const messages = asRecord(JSON.parse(text))?.['messages']
    return (Array.isArray(messages) ? messages : []).flatMap(
      (message) => asString(asRecord(message)?.['id']) ?? [],
    )
  } catch {
    return []
  }
}

function resetsHistory(line: string): boolean {
  try {
    const record = asRecord(JSON.parse(line))
    const set = asRecord(record?.['$set'])
    if (!set) return record?.['$rewindTo'] !== undefined
    return 'messages' in set && !describeSession('.jsonl', line).spoken
  } catch {
    return true // An incomplete line.
  }
}

/** Replaces the file atomically: a reader sees the old or the new file, and an appending writer reopens it by name. */
async function replace(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const draft = `${path}.remora-${process.pid}`
  await writeFile(draft, text, { mode: 0o600 })
  await rename(draft, path)
}

function restored({ id }: SessionCopy): Problem {
  return {
    code: 'session_restored',
    message: `Gemini CLI lost parts of session ${id} while it was resumed; they were restored from a copy`,
    hint: 'Set "general": {"sessionRetention": {"enabled": false}} in its settings, so that it deletes no sessions.',
  }
}

function lost({ id, copy }: SessionCopy): Problem {
  return {
    code: 'session_lost',
    message: `Session ${id} of Gemini CLI could not be compared with its copy`,
    hint: `The copy is kept in ${keptName(copy)}.`,
  }
}

function doubtful({ id, copy }: SessionCopy): Problem {
  return {
    code: 'session_changed',
    message: `Session ${id} of Gemini CLI has lost messages while it was resumed`,
    hint: `It is left as it is; the session as it was before is kept in ${keptName(copy)}.`,
  }
}
