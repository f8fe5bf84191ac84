import { parse } from 'jsonc-parser'
import type { Guard } from '../../contract/agent.ts'
import { editOrDelete, readText } from '../../files/settings-file.ts'
import { computeDigest } from '../../events/digest.ts'
import { asRecord } from '../../events/fields.ts'
import { removeJsonc, setJsonc } from '../../files/jsonc-edit.ts'

/** A setting that a guard has changed, and how to restore it. */
export interface GuardRecord {
  readonly agent: string
  readonly file: string
  readonly setting: readonly string[]
  readonly value: unknown
  /** The exact text before the change, as base64; undefined where there was no file. */
  readonly before?: string
  /** The digest of the text after the change. */
  readonly after: string
}

/**
 * The result: the file has its original bytes (`restored`), only the setting was changed back (`cleaned`), the file was
 * created by us and is deleted (`deleted`), or the user has changed the setting and it stays (`kept`).
 */
export type GuardUndone = 'restored' | 'cleaned' | 'deleted' | 'kept'

/** Applies a guard and returns the record to undo it. @example const record = await applyGuard('claude', guard) */
export async function applyGuard(agent: string, guard: Guard): Promise<GuardRecord> {
  const { file, setting, value } = guard
  const before = await readText(file)
  await guard.apply()
  return {
    agent,
    file,
    setting,
    value,
    ...(before === undefined ? {} : { before: Buffer.from(before).toString('base64') }),
    after: computeDigest((await readText(file)) ?? ''),
  }
}

/** Changes a guarded setting back. @example await undoGuard(record) // 'restored' */
export async function undoGuard(record: GuardRecord): Promise<GuardUndone> {
  const { file, setting, value, after } = record
  const before = record.before === undefined ? undefined : Buffer.from(record.before, 'base64').toString()
  const now = await readText(file)
  if (now === undefined || readSetting(now, setting) !== value) return 'kept'
  let result: GuardUndone = 'cleaned'
  await editOrDelete(file, (text) => {
    if (computeDigest(text) === after) {
      result = before === undefined ? 'deleted' : 'restored'
      return before
    }
    result = 'cleaned'
    const earlier = before === undefined ? undefined : readSetting(before, setting)
    if (earlier !== undefined) return setJsonc(text, setting, earlier)
    return removeJsonc(text, findInserted(before ?? '', setting))
  })
  return result
}

/** The outermost part of a path that the text does not have, which is what setting the value inserted. */
function findInserted(text: string, setting: readonly string[]): readonly string[] {
  const length = setting.findIndex((_, index) => readSetting(text, setting.slice(0, index + 1)) === undefined)
  return length === -1 ? setting : setting.slice(0, length + 1)
}

function readSetting(text: string, setting: readonly string[]): unknown {
  const root: unknown = parse(text.replace(/^\uFEFF/, ''), [], { allowTrailingComma: true })
  return setting.reduce<unknown>((value, name) => asRecord(value)?.[name], root)
}
