import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { type FolderHash, hashFolder, readPluginManifest } from '@remora/sdk/plugins'
import { UsageError } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import { shellWord } from '../../output/shell-word.ts'
import { installPackage } from '../../detection/install-package.ts'

/** A plugin whose files are installed, and of which nothing has run. */
export interface StagedPlugin {
  /** The folder with `node_modules`. */
  readonly folder: string
  readonly package: string
  readonly version: string
  /** A name and version for npm, or an absolute path. */
  readonly source: string
  readonly hash: FolderHash
}

/** A package of a registry, with a version, range or tag. */
const packageName = /^((?:@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*)(?:@([\w.^~*+-]+))?$/i

const npmOptions = [
  // No code of the package runs before the user has agreed to it.
  '--ignore-scripts',
  '--omit=dev',
  // The running Remora provides the contract.
  '--omit=peer',
  '--legacy-peer-deps',
  // A copy: editing the folder later does not change what runs.
  '--install-links',
  '--no-bin-links',
]

/** Installs a package below the folder of plugins, where nothing loads it yet. */
export async function stagePackage(source: string, plugins: string, io: Io): Promise<StagedPlugin> {
  const spec = await readSource(source, io)
  await mkdir(plugins, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(plugins, '.staged-'))
  try {
    await installPackage(spec.npm, { name: spec.name, folder, options: npmOptions }, io)
    // Files of npm itself, with paths of this machine.
    await rm(join(folder, 'package.json'), { force: true })
    await rm(join(folder, 'node_modules', '.package-lock.json'), { force: true })
    const { name, version } = await readPluginManifest(join(folder, 'node_modules', spec.name))
    const hash = await hashFolder(folder)
    return { folder, package: name, version, source: spec.path ?? `${name}@${version}`, hash }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

interface Source {
  readonly name: string
  /** What npm installs. */
  readonly npm: string
  readonly path?: string
}

/** Like npm: a word that starts with a dot or a slash is a path, any other names a package. */
async function readSource(source: string, io: Io): Promise<Source> {
  if (/^\.{1,2}(?:[/\\]|$)/.test(source) || source.startsWith('~/') || isAbsolute(source)) {
    const path = source.startsWith('~/')
      ? join(io.home || homedir(), source.slice(2))
      : resolve(io.cwd, source)
    // Read here too, so that a folder without a plugin is not installed.
    return { name: (await readPluginManifest(path)).name, npm: path, path }
  }
  const name = packageName.exec(source)?.[1]
  if (name !== undefined) return { name, npm: source }
  throw new UsageError(
    `Invalid package "${source}"`,
    existsSync(resolve(io.cwd, source))
      ? `For the folder, write: remora agents add ${shellWord(`./${source}`)}`
      : 'Name a package of the npm registry, such as my-agent@1.0.0, or a folder, such as ./my-agent',
  )
}
