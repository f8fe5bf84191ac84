import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HookScope, OurHook } from '../../contract/agent.ts'
import { computeDigest } from '../../events/digest.ts'
import { asRecord, asString } from '../../events/fields.ts'

/** What we have put into one file of a CLI, and how to undo it. */
export interface InstallRecord {
  readonly agent: string
  readonly file: string
  readonly scope: HookScope
  /** The project that the scope speaks of. */
  readonly cwd: string
  /** Whether the file was there before us. */
  readonly existed: boolean
  /** Folders that were made for it, from the outside in. */
  readonly folders: readonly string[]
  /** The digest of the text as we first found it, older hooks of ours included; none where there was no file. */
  readonly original?: string
  /** The text without hooks of ours. */
  readonly before: string
  /** The digest of the text with them, by which we see whether somebody else has written since. */
  readonly after: string
  readonly hooks: readonly OurHook[]
}

// Read and written inside of an edit of the file it speaks of, which does not wait.

/** Every record that can be read. @example readRecords('/home/me/.remora/hooks/installed') */
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

/** Writes nothing where all is as it was. */
export function saveRecord(folder: string, record: InstallRecord): void {
  const before = Buffer.from(record.before).toString('base64')
  const text = `${JSON.stringify({ ...record, before }, null, 2)}\n`
  const path = getRecordPath(folder, record.file)
  if (readTextSync(path) === text) return
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}`
  // It holds a person's settings, in which keys may be.
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
