import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const prefix = 'remora-run-'

/** Files that one run needs and nobody else may read. */
export interface RunFiles {
  path(name: string): string
  remove(): Promise<void>
}

/**
 * Writes files into a private folder that goes when the run is over. What a process that was killed has left behind
 * goes now.
 *
 * @example const files = await writeRunFiles({ 'mcp.json': '{}' })
 */
export async function writeRunFiles(
  files: Readonly<Record<string, string>>,
  root = tmpdir(),
): Promise<RunFiles> {
  await removeLeftovers(root)
  const folder = await mkdtemp(join(root, `${prefix}${process.pid}-`))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await chmod(folder, 0o700)
    for (const [name, text] of Object.entries(files))
      await writeFile(join(folder, name), text, { mode: 0o600 })
  } catch (error) {
    await remove()
    throw error
  }
  return { path: (name) => join(folder, name), remove }
}

async function removeLeftovers(root: string): Promise<void> {
  const names = await readdir(root).catch(() => [])
  for (const name of names) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]
    if (pid === undefined || isAlive(Number(pid))) continue
    const folder = join(root, name)
    const owner = await stat(folder).catch(() => undefined)
    if (owner?.isDirectory() && owner.uid === (process.getuid?.() ?? owner.uid))
      await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
