import { resolve } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { Agent, HookKind, HookScope, HookTarget, Place } from '../../contract/agent.ts'
import { computeDigest } from '../../events/digest.ts'
import { editOrDelete, readText, refuseReadOnly } from '../../files/settings-file.ts'
import {
  type HookFolders,
  absolute,
  hookFolders,
  inFile,
  removeEmpty,
  removeUnused,
  withHooksLock,
} from './install-files.ts'
import { hookTargets, getHooks } from './install-hooks.ts'
import { planUninstall } from './install-plan.ts'
import { deleteRecord, readRecords, findRecord, saveRecord } from './install-record.ts'

/** Which hooks to remove, and from where. */
export interface UninstallOptions {
  readonly place: Place
  /** The state folder. */
  readonly remoraHome: string
  /** By default all recorded files, and those of the user and this project. */
  readonly scope?: HookScope
  /** `record` by default. */
  readonly kind?: HookKind | 'all'
}

/**
 * The result for a file: it has its original bytes (`restored`), only our hooks were removed (`cleaned`), it was created by
 * us and is deleted (`deleted`), it was deleted before (`gone`), or it could not be changed (`failed`).
 */
export type UninstallResult = 'restored' | 'cleaned' | 'deleted' | 'gone' | 'failed'

/** A settings file from which hooks were removed. */
export interface UninstalledFile {
  readonly file: string
  readonly result: UninstallResult
  /** The kinds of our hooks that are still in the file. */
  readonly left?: readonly HookKind[]
  /** Why it failed. */
  readonly error?: RemoraError
}

/** The result of removing hooks. */
export interface Uninstalled {
  readonly agent: string
  /** Only files that had our hooks, or should have had them. */
  readonly files: readonly UninstalledFile[]
}

/**
 * Removes our hooks from the settings of a CLI. An otherwise unchanged file gets its original bytes back. A failure in one
 * file is reported and does not stop the others.
 *
 * @example await uninstallHooks(findAgent('gemini')!, { place, remoraHome: '/home/me/.remora' })
 */
export async function uninstallHooks(agent: Agent, options: UninstallOptions): Promise<Uninstalled> {
  const { place, kind = 'record' } = options
  getHooks(agent)
  const scope = options.scope && absolute(options.scope, place)
  const folders = hookFolders(resolve(options.remoraHome))
  const wanted = kind === 'all' ? undefined : kind
  const files = await withHooksLock(folders, async () => {
    const done: UninstalledFile[] = []
    const made = new Set(readRecords(folders.installed).flatMap((record) => record.folders))
    for (const target of await hookTargets(agent, place, folders, scope)) {
      const result = await uninstallFrom(target, folders, wanted)
      if (result) done.push(result)
    }
    // Remove folders last, because one may contain several files.
    const left = new Set(readRecords(folders.installed).flatMap((record) => record.folders))
    await removeEmpty([...made].filter((folder) => !left.has(folder)).toSorted())
    await removeUnused(folders)
    return done
  })
  return { agent: agent.id, files }
}

async function uninstallFrom(
  target: HookTarget,
  { installed }: HookFolders,
  kind: HookKind | undefined,
): Promise<UninstalledFile | undefined> {
  const { file } = target
  const record = findRecord(installed, file)
  const concerned = record?.hooks.some((hook) => kind === undefined || hook.kind === kind) ?? false
  try {
    const text = await readText(file)
    if (text === undefined) {
      if (record) deleteRecord(installed, file)
      return concerned ? { file, result: 'gone' } : undefined
    }
    const present = inFile(file, () => target.entries(text)).some(
      (entry) => entry.kind !== undefined && (kind === undefined || entry.kind === kind),
    )
    if (!present && !concerned) return undefined
    await refuseReadOnly(file)
    let plan = planUninstall(target, text, record, kind)
    await editOrDelete(file, (current) => {
      plan = planUninstall(target, current, record, kind)
      // What still leads back must be known before the change; what leads nowhere any more goes after it.
      if (record && plan.hooks.length > 0)
        saveRecord(installed, {
          ...record,
          existed: plan.existed,
          before: plan.before,
          after: computeDigest(plan.text ?? ''),
          hooks: plan.hooks,
        })
      return plan.text
    })
    if (plan.hooks.length === 0) deleteRecord(installed, file)
    if (plan.text === undefined) return { file, result: 'deleted' }
    const left = [...new Set(target.entries(plan.text).flatMap((entry) => entry.kind ?? []))]
    if (left.length > 0) return { file, result: 'cleaned', left }
    return { file, result: computeDigest(plan.text) === record?.original ? 'restored' : 'cleaned' }
  } catch (error) {
    if (!RemoraError.is(error)) throw error
    // Ignore an unreadable file without a record.
    return concerned ? { file, result: 'failed', error } : undefined
  }
}
