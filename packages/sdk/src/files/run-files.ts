import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunning, type Owner, thisProcess } from '../process/owner.ts'

const kinds = ['run', 'gemini', 'media'] as const

/** Files that one run needs and nobody else may read. */
export interface RunFiles {
  path(name: string): string
  remove(): Promise<void>
}

/**
 * Writes files into a private folder that goes when the run is over.
 *
 * @example const files = await writeRunFiles({ 'mcp.json': '{}' })
 */
export async function writeRunFiles(
  files: Readonly<Record<string, string>>,
  root = tmpdir(),
): Promise<RunFiles> {
  const folder = await createRunFolder('run', root)
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    for (const [name, text] of Object.entries(files))
      await writeFile(join(folder, name), text, { mode: 0o600 })
  } catch (error) {
    await remove()
    throw error
  }
  return { path: (name) => join(folder, name), remove }
}

/** Makes a folder that only the user can enter. Its name tells whose it is, so that there is no moment without an owner. */
export async function createRunFolder(kind: (typeof kinds)[number], root = tmpdir()): Promise<string> {
  const { pid, startTime = '' } = await thisProcess()
  return mkdtemp(join(root, `remora-${kind}-${pid}-${Buffer.from(startTime).toString('hex')}-`))
}

/** Takes away the folders of processes that were killed. Every run begins with it, since secrets may be in them. */
export async function removeLeftovers(root = tmpdir()): Promise<void> {
  const names = await readdir(root).catch(() => [])
  for (const name of names) {
    const owner = parseFolderOwner(name)
    // Where nobody can tell, the folder stays.
    if (!owner || (await isRunning(owner).catch(() => true))) continue
    const folder = join(root, name)
    const found = await stat(folder).catch(() => undefined)
    if (found?.isDirectory() && found.uid === (process.getuid?.() ?? found.uid))
      await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

const ownedName = new RegExp(String.raw`^remora-(?:${kinds.join('|')})-(\d+)-(?:([\da-f]*)-)?[^-]+$`)

function parseFolderOwner(name: string): Owner | undefined {
  const [, pid, hex] = ownedName.exec(name) ?? []
  if (pid === undefined) return undefined
  return { pid: Number(pid), ...(hex ? { startTime: Buffer.from(hex, 'hex').toString() } : {}) }
}
