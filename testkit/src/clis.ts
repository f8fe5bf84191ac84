import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { RemoraError } from '@remora/protocol'
import { type Agent, agents, compareVersions, findAgent } from '@remora/sdk'

/** One installed CLI. */
export interface InstalledCli {
  readonly agent: string
  readonly version: string
  /** The executable: a binary, or a script with a `node` shebang. */
  readonly path: string
  /** What a user types. */
  readonly command: string
}

const testkit = resolve(import.meta.dirname, '..')
const installed = join(testkit, 'clis')

/** The checkout in which this testkit lies. */
export const repository = resolve(testkit, '..')

/**
 * Where a pinned CLI is; without a version, its newest one.
 *
 * @example pinned('gemini', '0.34.0').path
 */
export function pinned(agent: string, version = pinnedVersions(agent)[0]): InstalledCli {
  const folder = pins().find((pin) => pin.agent === agent && pin.version === version)?.folder
  if (version === undefined || folder === undefined) {
    throw new RemoraError('not_found', `${agent}@${version ?? '?'} is not pinned`, {
      hint: `Pinned are: ${pins()
        .map((pin) => `${pin.agent}@${pin.version}`)
        .join(', ')} (testkit/clis/package.json).`,
    })
  }
  return findExecutable(agent, version, join(installed, 'node_modules', folder))
}

/** The newest pinned version of an ACP wrapper's package. @example pinnedPackage('@zed-industries/codex-acp').path */
export function pinnedPackage(name: string): InstalledCli {
  if (!listPackages().some(({ id }) => id === name))
    throw new RemoraError('not_found', `No agent has the package ${name}`)
  return pinned(name)
}

/** The agents with a pinned CLI, in the order of the registry. @example listPinnedAgents().map(({ id }) => id) */
export function listPinnedAgents(): Agent[] {
  return agents().filter(({ id }) => pinnedVersions(id).length > 0)
}

/** The versions of an agent that testkit/clis/package.json pins, newest first. @example pinnedVersions('gemini') */
export function pinnedVersions(agent: string): string[] {
  return pins()
    .filter((pin) => pin.agent === agent)
    .map((pin) => pin.version)
    .toSorted(compareVersions)
    .toReversed()
}

/** A pinned CLI, or any other version, which npm installs into `.cache/clis` once. @example await getCli('gemini', '0.45.2') */
export async function getCli(agent: string, version?: string, signal?: AbortSignal): Promise<InstalledCli> {
  if (version === undefined || pinnedVersions(agent).includes(version)) return pinned(agent, version)
  const { name } = getPackage(agent)
  const folder = join(repository, '.cache', 'clis', `${agent}-${version}`)
  if (!existsSync(folder)) await installOnce(folder, `${name}@${version}`, signal)
  return findExecutable(agent, version, join(folder, 'node_modules', name))
}

function pins(): { agent: string; version: string; folder: string }[] {
  const file = readFileSync(join(installed, 'package.json'), 'utf8')
  const { dependencies } = JSON.parse(file) as { dependencies: Record<string, string> }
  return Object.entries(dependencies).flatMap(([folder, spec]) => {
    // Several versions of one package stand beside each other as `npm:` aliases.
    const alias = /^npm:(.+)@([^@]+)$/.exec(spec)
    const name = alias?.[1] ?? folder
    const found = listPackages().find((each) => each.name === name)
    return found ? [{ agent: found.id, version: alias?.[2] ?? spec, folder }] : []
  })
}

/** Every npm package that an agent names: its own under its id, and its ACP wrappers under their package. */
function listPackages(): { id: string; name: string; command: string }[] {
  return agents().flatMap(({ id, detection, acp }) => [
    ...(detection.package === undefined ? [] : [{ id, name: detection.package, command: detection.command }]),
    ...(acp?.wrappers ?? []).map((wrapper) => ({
      id: wrapper.package,
      name: wrapper.package,
      command: wrapper.command,
    })),
  ])
}

function getPackage(id: string): ReturnType<typeof listPackages>[number] {
  const found = listPackages().find((each) => each.id === id)
  if (!found) throw new RemoraError('not_found', `No npm package is known for "${id}"`)
  return found
}

function findExecutable(agent: string, version: string, folder: string): InstalledCli {
  if (!existsSync(join(folder, 'package.json'))) {
    throw new RemoraError('not_found', `${agent}@${version} is not installed`, {
      hint: 'npm ci --prefix testkit/clis',
    })
  }
  const manifest = createRequire(join(folder, 'package.json'))('./package.json') as {
    bin: string | Record<string, string>
  }
  const { command } = getPackage(agent)
  const bin = typeof manifest.bin === 'string' ? manifest.bin : (manifest.bin[command] ?? '')
  const program = join(folder, bin)
  const minimum = findAgent(agent)?.detection.minimumNode ?? '0'
  const isRunHere = compareVersions(process.versions.node, minimum) >= 0
  return {
    agent,
    version,
    path: isRunHere ? program : linkProgram(program, agent, version, command),
    command,
  }
}

/** A link as npm makes it, since a script that is named itself runs with the Node of these tests. */
function linkProgram(program: string, agent: string, version: string, command: string): string {
  const link = join(repository, '.cache', 'bin', `${agent}-${version}`, command)
  if (existsSync(link) && realpathSync(link) === realpathSync(program)) return link
  mkdirSync(dirname(link), { recursive: true })
  // Renamed, because other workers may make it at the same time.
  const draft = `${link}.${process.pid}`
  rmSync(draft, { force: true })
  symlinkSync(program, draft)
  renameSync(draft, link)
  return link
}

const installing = new Map<string, Promise<void>>()

/** Two callers share one installation: a second one would write over programs that already run. */
async function installOnce(folder: string, spec: string, signal?: AbortSignal): Promise<void> {
  const known = installing.get(folder)
  if (known) return known
  const work = install(folder, spec, signal).finally(() => installing.delete(folder))
  installing.set(folder, work)
  return work
}

/** Installs beside its final place and renames, so that a folder that exists is a complete one. */
async function install(folder: string, spec: string, signal?: AbortSignal): Promise<void> {
  const draft = `${folder}.${process.pid}`
  await mkdir(draft, { recursive: true })
  try {
    await writeFile(join(draft, 'package.json'), '{"private":true}\n')
    await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', spec], {
      cwd: draft,
      ...(signal ? { signal } : {}),
    })
    await mkdir(dirname(folder), { recursive: true })
    await rename(draft, folder)
  } catch (cause) {
    await rm(draft, { recursive: true, force: true })
    throw new RemoraError('not_found', `${spec} could not be installed`, {
      hint: 'Check the version and that npm reaches its registry.',
      cause,
    })
  }
}
