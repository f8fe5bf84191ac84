import { chmod, mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { withFileLock } from '../../files/file-lock.ts'
import { createHookScript, isCurrentScript, listSilentAgents } from './hook-script.ts'
import { readRecords } from './install-record.ts'
import { createSpool } from './spool.ts'
import type { Agent, HookScope, Place } from '../../contract/agent.ts'

/** The paths of our hooks in the state folder. */
export interface HookFolders {
  readonly hooks: string
  /** The hook script that every CLI starts. */
  readonly script: string
  /** The folder of install records. */
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

/** Writes the hook script and creates its spool folders, so that the script need not start mkdir. */
export async function writeHookScript({ script, spool }: HookFolders, agent: Agent): Promise<void> {
  createSpool(dirname(spool))
  if (await isHookScript(script, agent)) return
  // The script that is installed knows the other agents for which it prints nothing.
  const others = listSilentAgents((await readText(script)) ?? '').filter((id) => id !== agent.id)
  const silent = agent.hooks?.showsOutput ? [...others, agent.id] : others
  // Write and rename, because a CLI may start the script at this moment.
  const draft = `${script}.${process.pid}`
  await writeFile(draft, createHookScript(silent.toSorted()))
  await chmod(draft, 0o755)
  await rename(draft, script)
}

/** Whether the current version of the script is installed, and fits the agent. */
export async function isHookScript(script: string, { id, hooks }: Agent): Promise<boolean> {
  const text = await readText(script)
  if (text === undefined || !isCurrentScript(text)) return false
  if (listSilentAgents(text).includes(id) !== (hooks?.showsOutput ?? false)) return false
  return ((await stat(script)).mode & 0o111) === 0o111
}

function readText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined)
}

/** Deletes the scripts of kinds that are no longer installed, and empty folders. */
export async function removeUnused({ hooks, installed, script }: HookFolders): Promise<void> {
  const used = new Set(readRecords(installed).flatMap((record) => record.hooks.map(({ kind }) => kind)))
  if (!used.has('record')) await rm(script, { force: true })
  for (const name of await readdir(hooks).catch(() => []))
    if (!used.has('pave') && /^remora-pave\.|^pave-rules\.json$/.test(name))
      await rm(join(hooks, name), { force: true })
  await removeEmpty([hooks, installed])
}

/** Runs a function while no other process installs or uninstalls hooks. */
export async function withHooksLock<T>({ hooks }: HookFolders, work: () => Promise<T>): Promise<T> {
  const made = await missingFolders(hooks)
  await mkdir(dirname(hooks), { recursive: true, mode: 0o700 })
  try {
    return await withFileLock(hooks, work)
  } finally {
    await removeEmpty(made)
  }
}

/** Deletes folders that we created if they are empty. They are listed outermost first. */
export async function removeEmpty(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) await rmdir(folder).catch(() => {})
}

/** Resolves a named file against the working directory. */
export function absolute(scope: HookScope, { cwd }: Place): HookScope {
  return typeof scope === 'object' ? { file: resolve(cwd, scope.file) } : scope
}

/** Lists the missing parent folders of a file, outermost first. */
export async function missingFolders(file: string): Promise<string[]> {
  const folder = dirname(file)
  if (folder === file || (await stat(folder).catch(() => undefined))) return []
  return [...(await missingFolders(folder)), folder]
}

/** Adds the file to the message of a config error. */
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
