import { appendFile, mkdir, mkdtemp, readFile, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RemoraError } from '@remora/protocol'
import { type HeadlessRequest, findAgent } from '@remora/sdk'
import { pinnedVersions } from './clis.ts'
import { endProcesses, listProcesses } from './leftovers.ts'
import type { RunningProcess } from './leftovers.ts'
import { findNodeFor } from './nodes.ts'

/** For programs that unpack themselves, so that they do it once and not in every home. */
const cache = fileURLToPath(new URL('../../.cache/homes', import.meta.url))

/** A home of its own for one CLI, gone after use. */
export interface Home extends AsyncDisposable {
  readonly agent: string
  readonly version: string
  /** What `HOME` says; everything below lies inside. */
  readonly path: string
  readonly cwd: string
  /** The scripted model. */
  readonly url: string
  readonly env: Readonly<Record<string, string>>
  /** What every headless run here has to ask for. */
  readonly headless: Partial<HeadlessRequest>
  readonly hookArguments: readonly string[]
  /** Processes that were started with this home and still live: none, once a run is over. */
  leftovers(): Promise<RunningProcess[]>
  /** The files of the workspace, by relative path. */
  files(): Promise<string[]>
  remove(): Promise<void>
}

export interface HomeOptions {
  readonly version?: string
  /** The scripted model that this home's CLI talks to. */
  readonly model: { readonly url: string }
}

/**
 * An isolated home by the recipe of the agent. Nothing of the parent's environment goes in, no key and no proxy.
 *
 * @example await using home = await createHome('gemini', { model })
 */
export async function createHome(agent: string, options: HomeOptions): Promise<Home> {
  const known = findAgent(agent)
  const recipe = known?.testkit?.home
  const version = options.version ?? pinnedVersions(agent)[0]
  if (!recipe || !version) throw new RemoraError('not_found', `There is no recipe for a home of "${agent}"`)

  // Where the temp folder is a link, CLIs report the real path.
  const root = await mkdtemp(join(await realpath(tmpdir()), 'remora-home-'))
  const path = join(root, 'home')
  const cwd = join(path, 'work')
  const temporary = join(path, 'tmp')
  await mkdir(cwd, { recursive: true })
  await mkdir(temporary)

  const place = { home: path, cwd, version, url: options.model.url, cache }
  for (const [name, content] of Object.entries(recipe.files(place))) {
    await writeInto(
      path,
      name,
      typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`,
    )
  }
  const env = {
    PATH: [dirname(findNodeFor(known?.detection.minimumNode)), '/usr/bin', '/bin'].join(delimiter),
    HOME: path,
    TMPDIR: temporary,
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    LANG: 'C.UTF-8',
    ...recipe.env(place),
  }
  const remove = async () => {
    await endProcesses(root)
    await rm(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }

  return {
    agent,
    version,
    path,
    cwd,
    url: options.model.url,
    env,
    headless: recipe.headless ?? {},
    hookArguments: recipe.hookArguments ?? [],
    leftovers: () => listProcesses(root),
    files: () => filesBelow(cwd),
    remove,
    [Symbol.asyncDispose]: remove,
  }
}

/** Makes a home ready for sessions on a terminal, by the recipe of the agent. @example await prepareTerminal(home) */
export async function prepareTerminal(home: Home): Promise<void> {
  const { agent, path, cwd, version } = home
  const files = findAgent(agent)?.testkit?.home.terminal?.({ home: path, cwd, version, url: home.url }) ?? {}
  for (const [name, more] of Object.entries(files)) await mergeJson(join(path, name), more)
}

/** Trusts the hooks that are installed in a home, as its user would. @example await trustHooks(home) */
export async function trustHooks({ agent, path, cwd, version, url }: Home): Promise<void> {
  const place = { home: path, cwd, version, url }
  const files = (await findAgent(agent)?.testkit?.home.trustHooks?.(place)) ?? {}
  for (const [name, text] of Object.entries(files)) await appendFile(join(path, name), text)
}

/** Merges fields into a JSON file, which is created if it is missing. @example await mergeJson(file, { theme: 'dark' }) */
export async function mergeJson(file: string, more: object): Promise<void> {
  const before = JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as object
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${JSON.stringify({ ...before, ...more }, null, 2)}\n`)
}

/** Writes a file below a folder, making the folders between. @example await writeInto(home.path, '.x/y.json', '{}') */
export async function writeInto(folder: string, name: string, content: string): Promise<void> {
  const file = join(folder, name)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
}

/** Every file below a folder by relative path, sorted; none where there is no folder. @example await filesBelow(home.cwd) */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted()
}
