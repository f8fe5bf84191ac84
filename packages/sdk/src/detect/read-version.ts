import { readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Detection, Place } from '../contract/agent.ts'
import { findVersion } from '../versions/version.ts'
import { packageFolders } from './shims.ts'
import { spawnTree } from '../process/spawn-tree.ts'

/** Reads the version of an executable from its package, else from its path, else from the CLI itself. */
export async function readVersion(
  path: string,
  detection: Detection,
  env: Place['env'],
): Promise<string | undefined> {
  const target = await realpath(path).catch(() => path)
  const own = await ownPackageVersion(dirname(target), detection)
  if (own !== undefined) return own
  if (detection.package !== undefined) {
    for (const folder of await packageFolders(path, target, detection.package)) {
      const version = await readPackageVersion(folder, detection)
      if (version !== undefined) return version
    }
  }
  return versionInPath(target) ?? (await askVersion(path, env))
}

/**
 * Finds the version in a path: Claude's installer keeps `…/versions/2.1.197`, Homebrew
 * `…/Cellar/codex/0.166.0/…`, mise `…/installs/codex/0.166.0/…`.
 */
export function versionInPath(path: string): string | undefined {
  const parts = path.split(/[/\\]/)
  for (const [index, part] of parts.entries()) {
    const after = part === 'versions' ? parts[index + 1] : undefined
    const second = part === 'Cellar' || part === 'Caskroom' || part === 'installs' ? index + 2 : -1
    // Node's own version says nothing about what is installed with it.
    const text = after ?? (parts[second - 1] === 'node' ? undefined : parts[second])
    if (text !== undefined && /^v?\d+\.\d+\.\d+/.test(text)) return findVersion(text)
  }
  return undefined
}

const timeout = 3000

/** Runs `--version` with a timeout of three seconds. This is the last resort, since some CLIs take two seconds. */
export async function askVersion(path: string, env: Place['env']): Promise<string | undefined> {
  try {
    const tree = await spawnTree({ command: path, args: ['--version'], env })
    const output = Promise.all([text(tree.stdout), text(tree.stderr)])
    output.catch(() => {})
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((done) => (timer = setTimeout(done, timeout, undefined)))
    const answer = await Promise.race([output, late])
    clearTimeout(timer)
    await tree.kill({ grace: 200 })
    return answer === undefined ? undefined : findVersion(answer.join('\n'))
  } catch {
    return undefined // It cannot be started; the error appears when it is run.
  }
}

/** Finds the version of the agent's package in the nearest ancestor folder. */
async function ownPackageVersion(folder: string, detection: Detection): Promise<string | undefined> {
  for (let current = folder; ; current = dirname(current)) {
    const version = await readPackageVersion(current, detection)
    if (version !== undefined || current === dirname(current)) return version
  }
}

/** Reads the version in a folder's package.json, if the package is the agent's or has its command. */
async function readPackageVersion(folder: string, detection: Detection): Promise<string | undefined> {
  const found = await readPackage(folder)
  if (!found) return undefined
  const own = found.name === detection.package && found.name !== undefined
  const brings =
    typeof found.bin === 'object' && found.bin !== null && Object.hasOwn(found.bin, detection.command)
  return own || brings ? found.version : undefined
}

/** Reads the package.json of a folder, if it has a version. */
export async function readPackage(
  folder: string,
): Promise<{ name: string | undefined; version: string; bin: unknown } | undefined> {
  let content: unknown
  try {
    content = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  } catch {
    return undefined
  }
  if (typeof content !== 'object' || content === null) return undefined
  const { name, version, bin } = content as { name?: unknown; version?: unknown; bin?: unknown }
  if (typeof version !== 'string') return undefined
  return { name: typeof name === 'string' ? name : undefined, version, bin }
}
