import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunning, type Owner, thisProcess } from '../process/owner.ts'

/** Private files of one run. */
export interface RunFiles {
  path(name: string): string
  remove(): Promise<void>
}

/**
 * Writes files into a private temporary folder. Call `remove` when the run is over.
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

/** Creates a private folder. Its name contains the owner process, so that it is never without an owner. */
export async function createRunFolder(kind: 'run' | 'media', root = tmpdir()): Promise<string> {
  const { pid, startTime = '' } = await thisProcess()
  return mkdtemp(join(root, `remora-${kind}-${pid}-${Buffer.from(startTime).toString('hex')}-`))
}

/** Removes the folders of dead processes, which may hold secrets. Every run starts with it. */
export async function removeLeftovers(root = tmpdir()): Promise<void> {
  const names = await readdir(root).catch(() => [])
  for (const name of names) {
    const owner = parseFolderOwner(name)
    // Keep the folder if the owner's state is unknown.
    if (!owner || (await isRunning(owner).catch(() => true))) continue
    const folder = join(root, name)
    const found = await stat(folder).catch(() => undefined)
    if (found?.isDirectory() && found.uid === (process.getuid?.() ?? found.uid))
      await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

// Earlier versions had other kinds, and folders of runs without a start time.
const ownedName = /^remora-(?:run|[a-z]+(?=-\d+-[\da-f]*-))-(\d+)-(?:([\da-f]*)-)?\w{6}$/

function parseFolderOwner(name: string): Owner | undefined {
  const [, pid, hex] = ownedName.exec(name) ?? []
  if (pid === undefined) return undefined
  return { pid: Number(pid), ...(hex ? { startTime: Buffer.from(hex, 'hex').toString() } : {}) }
}
