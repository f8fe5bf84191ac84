import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseJson } from '@remora/protocol/plain'
import type { Place } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { resolveLinks } from '../../files/paths.ts'
import { geminiFolder } from './home.ts'

/** The fields of a session file that resuming needs. */
export interface SessionFile {
  readonly path: string
  readonly id: string | undefined
  readonly startTime: number
  readonly lastUpdated: number
  readonly subagent: boolean
  /** Whether it contains a message of the user or the model. The CLI ignores files without one. */
  readonly spoken: boolean
}

/** The part of an id that is in the file name. @example shortId('247a8d8a-4b48-…') // '247a8d8a' */
export function shortId(id: string): string {
  // Same rule as the CLI's, so that an id such as `a/b` is found too.
  return id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 8)
}

/**
 * Lists the folders with the sessions of the working directory: by short name from 0.28 on, by hash before.
 *
 * @example await chatFolders(place) // ['/home/me/.gemini/tmp/work/chats']
 */
export async function chatFolders(place: Place): Promise<string[]> {
  const root = join(geminiFolder(place), 'tmp')
  const project = await resolveLinks(place.cwd)
  const names = new Set<string>()
  const slug = await registeredName(place, project)
  if (slug !== undefined) names.add(slug)
  names.add(createHash('sha256').update(project).digest('hex'))
  const folders: string[] = []
  for (const name of await readdir(root).catch(() => [])) {
    const owner = names.has(name)
      ? project
      : await readFile(join(root, name, '.project_root'), 'utf8').catch(() => '')
    if (owner.trim() === project) folders.push(join(root, name, 'chats'))
  }
  return folders
}

/** Lists the files of one session: the real ones and those that a resume left. */
export async function listSessionFiles(folder: string, id: string): Promise<string[]> {
  const ending = `-${shortId(id)}.json`
  return (await sessionNames(folder))
    .filter((name) => name.endsWith(ending) || name.endsWith(`${ending}l`))
    .map((name) => join(folder, name))
}

/** Lists the session files of a folder, oldest first. */
export async function sessionNames(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => /^session-.*\.jsonl?$/.test(name)).toSorted()
}

/**
 * Resolves `latest`, a number or an id to a session id, as `--resume` does. Returns undefined if there is no such
 * session.
 */
export async function resolveSession(place: Place, wanted: string): Promise<string | undefined> {
  if (wanted !== 'latest' && !/^[1-9]\d*$/.test(wanted)) return wanted
  const sessions = new Map<string, SessionFile>()
  for (const folder of await chatFolders(place)) {
    for (const name of await sessionNames(folder)) {
      const file = await readSessionFile(join(folder, name))
      if (file?.id === undefined || !file.spoken || file.subagent) continue
      const known = sessions.get(file.id)
      if (!known || file.lastUpdated > known.lastUpdated) sessions.set(file.id, file)
    }
  }
  if (sessions.has(wanted)) return wanted
  const sorted = [...sessions.values()].toSorted((left, right) => left.startTime - right.startTime)
  return (wanted === 'latest' ? sorted.at(-1) : sorted[Number(wanted) - 1])?.id
}

/** Reads a session file of any version. Returns undefined if it is missing. */
export async function readSessionFile(path: string): Promise<SessionFile | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : describeSession(path, text)
}

/** Reads the same from a text. */
export function describeSession(path: string, text: string): SessionFile {
  let about: Record<string, unknown> = {}
  let messages = new Map<string, boolean>()
  for (const record of records(path, text)) {
    const set = asRecord(record['$set'])
    const id = asString(record['id'])
    const rewind = asString(record['$rewindTo'])
    if (rewind !== undefined) {
      const ids = [...messages.keys()]
      const from = Math.max(0, ids.indexOf(rewind))
      for (const later of ids.slice(from)) messages.delete(later)
    } else if (id !== undefined) messages.set(id, isSpoken(record))
    else if (set ?? record['sessionId'] !== undefined) {
      const state = set ?? record
      if (set && Array.isArray(state['messages'])) messages = new Map()
      for (const message of Array.isArray(state['messages']) ? (state['messages'] as unknown[]) : []) {
        const fields = asRecord(message)
        if (fields) messages.set(asString(fields['id']) ?? `#${messages.size}`, isSpoken(fields))
      }
      about = { ...about, ...state }
    }
  }
  const startTime = Date.parse(asString(about['startTime']) ?? '') || 0
  return {
    path,
    id: asString(about['sessionId']),
    startTime,
    lastUpdated: Date.parse(asString(about['lastUpdated']) ?? '') || startTime,
    subagent: about['kind'] === 'subagent',
    spoken: [...messages.values()].includes(true),
  }
}

/** The short name that the CLI gave the project. */
async function registeredName(place: Place, project: string): Promise<string | undefined> {
  try {
    const text = await readFile(join(geminiFolder(place), 'projects.json'), 'utf8')
    const slug = asString(asRecord(asRecord(parseJson(text))?.['projects'])?.[project])
    return slug === undefined ? undefined : basename(slug)
  } catch {
    return undefined
  }
}

function records(path: string, text: string): Readonly<Record<string, unknown>>[] {
  // Up to 0.38 the whole file is one object.
  const parts = path.endsWith('.jsonl') ? text.split('\n') : [text]
  return parts.flatMap((part) => {
    try {
      const record = asRecord(parseJson(part, 'cut'))
      return record ? [record] : []
    } catch {
      return []
    }
  })
}

// Context added by the CLI, commands and empty messages do not make a session.
function isSpoken(message: Readonly<Record<string, unknown>>): boolean {
  const text = joinText(message['content']).trim()
  if (message['type'] === 'user')
    return text !== '' && !/^(?:[/?]|<session_context>|<hook_context>)/.test(text)
  if (message['type'] !== 'gemini') return false
  return (
    text !== '' ||
    [message['toolCalls'], message['thoughts']].some((list) => Array.isArray(list) && list.length > 0)
  )
}

function joinText(content: unknown): string {
  if (typeof content === 'string') return content
  const parts: unknown[] = Array.isArray(content) ? content : [content]
  return parts
    .map((part) =>
      typeof part === 'string'
        ? part
        : (asString(asRecord(part)?.['text']) ?? (asRecord(part) ? '[part]' : '')),
    )
    .join('')
}
