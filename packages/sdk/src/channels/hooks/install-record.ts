import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HookScope, OurHook } from '../../contract/agent.ts'
import { computeDigest } from '../../events/digest.ts'
import { asRecord, asString } from '../../events/fields.ts'

/** Our hooks in one file of a CLI, and how to remove them. */
export interface InstallRecord {
  readonly agent: string
  readonly file: string
  readonly scope: HookScope
  /** The folder of the project scope. */
  readonly cwd: string
  /** Whether the file existed before the install. */
  readonly existed: boolean
  /** Folders that were created for it, outermost first. */
  readonly folders: readonly string[]
  /** The digest of the text before the first install, including older hooks of ours; undefined if there was no file. */
  readonly original?: string
  /** The text without our hooks. */
  readonly before: string
  /** The digest of the text with our hooks, to detect later changes. */
  readonly after: string
  readonly hooks: readonly OurHook[]
}

// Records are read and written synchronously, within the synchronous edit of their file.

/** Reads all valid records. @example readRecords('/home/me/.remora/hooks/installed') */
export function readRecords(folder: string): InstallRecord[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return []
  }
  return names
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .flatMap((name) => readRecord(join(folder, name)) ?? [])
}

export function findRecord(folder: string, file: string): InstallRecord | undefined {
  return readRecord(getRecordPath(folder, file))
}

/** Writes the record if it has changed. */
export function saveRecord(folder: string, record: InstallRecord): void {
  const before = Buffer.from(record.before).toString('base64')
  const text = `${JSON.stringify({ ...record, before }, null, 2)}\n`
  const path = getRecordPath(folder, record.file)
  if (readTextSync(path) === text) return
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}`
  // Private, because the user's settings may contain keys.
  writeFileSync(draft, text, { mode: 0o600 })
  renameSync(draft, path)
}

export function deleteRecord(folder: string, file: string): void {
  rmSync(getRecordPath(folder, file), { force: true })
}

function getRecordPath(folder: string, file: string): string {
  return join(folder, `${computeDigest(file)}.json`)
}

function readTextSync(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function readRecord(path: string): InstallRecord | undefined {
  try {
    const fields = asRecord(JSON.parse(readTextSync(path) ?? ''))
    const before = asString(fields?.['before'])
    if (before === undefined || !Array.isArray(fields?.['hooks'])) return undefined
    return { ...(fields as unknown as InstallRecord), before: Buffer.from(before, 'base64').toString() }
  } catch {
    return undefined
  }
}
