import { chmod, mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { withFileLock } from '../../files/file-lock.ts'
import { hookScript } from './hook-script.ts'
import { readRecords } from './install-record.ts'
import { makeSpool } from './spool.ts'
import type { HookScope, Place } from '../../contract/agent.ts'

/** Where hooks of ours lie in the folder of all state. */
export interface HookFolders {
  readonly hooks: string
  /** The program that every CLI starts. */
  readonly script: string
  /** What was installed where, and what was there before. */
  readonly installed: string
  readonly spool: string
}

/** @example hookFolders('/home/me/.remora').script // '/home/me/.remora/hooks/remora-hook' */
export function hookFolders(remoraHome: string): HookFolders {
  const hooks = join(remoraHome, 'hooks')
  return {
    hooks,
    script: join(hooks, 'remora-hook'),
    installed: join(hooks, 'installed'),
    spool: join(remoraHome, 'spool'),
  }
}

/** Puts the program in its place, and makes the folders that it fills: it would have to start another one for that. */
export async function writeHookScript({ script, spool }: HookFolders): Promise<void> {
  makeSpool(dirname(spool))
  if (await isHookScript(script)) return
  // A CLI may start it at this moment: the old one or the new one, never half of it.
  const draft = `${script}.${process.pid}`
  await writeFile(draft, hookScript)
  await chmod(draft, 0o755)
  await rename(draft, script)
}

/** Whether the program is there, as this version of ours wants it. */
export async function isHookScript(script: string): Promise<boolean> {
  const text = await readFile(script, 'utf8').catch(() => undefined)
  return text === hookScript && ((await stat(script)).mode & 0o111) === 0o111
}

/** Deletes the programs of kinds that are installed nowhere any more, and folders with nothing in them. */
export async function removeUnused({ hooks, installed, script }: HookFolders): Promise<void> {
  const used = new Set(readRecords(installed).flatMap((record) => record.hooks.map(({ kind }) => kind)))
  if (!used.has('record')) await rm(script, { force: true })
  for (const name of await readdir(hooks).catch(() => []))
    if (!used.has('pave') && /^remora-pave\.|^pave-rules\.json$/.test(name))
      await rm(join(hooks, name), { force: true })
  await removeEmpty([hooks, installed])
}

/** Does something while no other process installs or uninstalls. */
export async function withHooksLock<T>({ hooks }: HookFolders, work: () => Promise<T>): Promise<T> {
  const made = await missingFolders(hooks)
  await mkdir(dirname(hooks), { recursive: true, mode: 0o700 })
  try {
    return await withFileLock(hooks, work)
  } finally {
    await removeEmpty(made)
  }
}

/** Deletes folders that we have made, unless something is in them; they are given from the outside in. */
export async function removeEmpty(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) await rmdir(folder).catch(() => {})
}

/** A file that was named is found from the folder in which it was. */
export function absolute(scope: HookScope, { cwd }: Place): HookScope {
  return typeof scope === 'object' ? { file: resolve(cwd, scope.file) } : scope
}

/** The folders that are missing on the way to a file, from the outside in. */
export async function missingFolders(file: string): Promise<string[]> {
  const folder = dirname(file)
  if (folder === file || (await stat(folder).catch(() => undefined))) return []
  return [...(await missingFolders(folder)), folder]
}

/** Says which file an error is about. */
export function inFile<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!RemoraError.is(error) || error.code !== 'config') throw error
    throw new RemoraError('config', `${file}: ${error.message}`, {
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      cause: error,
    })
  }
}
