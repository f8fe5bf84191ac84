import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname } from 'node:path'
import type { AcpWrapper, Agent, Problem } from '../contract/agent.ts'
import { atLeast } from '../versions/version.ts'
import { type Detected, type DetectPlace, detect } from './detect.ts'
import { createNodeProblem, findNodeVersion } from './find-node.ts'
import { type SearchPlace, listFolderCandidates, fileNames, listPathCandidates } from './folders.ts'
import { readPackage, readVersion } from './read-version.ts'
import { getPathModule, isProgram } from './paths.ts'
import { packageFolders } from './shims.ts'

/** The program that speaks ACP for an agent, or why there is none. */
export interface FoundWrapper extends Detected {
  /** The wrapper that was found, or the one to install if none is usable. */
  readonly wrapper: AcpWrapper
  /** Why a better wrapper is not used, and how to get it. */
  readonly advice?: string
}

interface Candidate {
  readonly wrapper: AcpWrapper
  readonly path: string
  readonly source: NonNullable<Detected['source']>
  readonly version: string | undefined
  /** Set if the Node.js that would run it is too old or missing. */
  readonly problem: Problem | undefined
}

/**
 * Finds the program that speaks ACP for an agent. The wrapper's environment variable decides if it is set. Otherwise this
 * searches PATH, the install folders, and `node_modules/.bin` of the working directory and its parents, and chooses the most
 * preferred wrapper that can run here. If none is usable, `problems` says how to get one. Undefined for agents that speak
 * ACP themselves.
 *
 * @example
 * const wrapper = await findWrapper(claude, place)
 * if (wrapper && !wrapper.installed) console.log(wrapper.problems[0]?.hint)
 */
export async function findWrapper(
  { title, acp }: Pick<Agent, 'title' | 'acp'>,
  place: DetectPlace = {},
): Promise<FoundWrapper | undefined> {
  const [preferred, ...others] = acp?.wrappers ?? []
  if (!preferred) return undefined
  const wrappers = [preferred, ...others]
  const where = {
    env: place.env ?? process.env,
    home: place.home ?? homedir(),
    cwd: place.cwd ?? process.cwd(),
    platform: place.platform ?? process.platform,
  }
  const node = await findNodeVersion('node', where)
  const tried: string[] = []
  let candidates: Candidate[]
  if (where.env[preferred.variable]?.trim()) {
    const chosen = await detect({ title: `The ACP wrapper of ${title}`, detection: preferred }, where)
    // No fallback if the variable is set, because it would hide a wrong path.
    if (chosen.path === undefined) return { ...chosen, wrapper: preferred }
    candidates = [await identify(chosen.path, 'variable', wrappers, where)]
    tried.push(chosen.path)
  } else candidates = await search(wrappers, where, tried)

  const usable = wrappers
    .flatMap((wrapper) => candidates.filter((each) => each.wrapper === wrapper))
    .find(({ problem }) => !problem)
  if (!usable) {
    const wrapper = candidates[0]?.wrapper ?? wrappers.find((each) => canRun(each, node)) ?? wrappers.at(-1)!
    const problem = candidates[0]?.problem ?? createMissingProblem(title, wrapper)
    return { installed: false, wrapper, tried, problems: [problem] }
  }
  const { wrapper, path, source, version } = usable
  const better = wrapper === preferred ? undefined : candidates.find((each) => each.wrapper === preferred)
  const advice =
    better?.problem !== undefined
      ? `${better.problem.message}. ${better.problem.hint}`
      : wrapper !== preferred && canRun(preferred, node)
        ? `${wrapper.package} is no longer maintained. Install its successor: ${preferred.install}`
        : undefined
  return {
    installed: true,
    wrapper,
    path,
    source,
    tried,
    problems: version === undefined ? [createVersionProblem(title, path)] : [],
    ...(version === undefined ? {} : { version }),
    ...(advice === undefined ? {} : { advice }),
  }
}

/** Lists all installed wrappers. Two wrappers of an agent may share a command, so the first one found may be the wrong one. */
async function search(
  wrappers: readonly AcpWrapper[],
  place: SearchPlace,
  tried: string[],
): Promise<Candidate[]> {
  const found: Candidate[] = []
  const project = listProjectFolders(place)
  for (const command of new Set(wrappers.map((wrapper) => wrapper.command))) {
    const detection = wrappers.find((wrapper) => wrapper.command === command)!
    const named = wrappers.filter((wrapper) => wrapper.command === command)
    const paths = getPathModule(place.platform)
    for (const [source, files] of [
      ['path', listPathCandidates(command, place)],
      ['folder', await listFolderCandidates(detection, place)],
      [
        'folder',
        project.flatMap((folder) => fileNames(command, place).map((name) => paths.join(folder, name))),
      ],
    ] as const)
      for (const path of files) {
        if (tried.includes(path)) continue
        tried.push(path)
        if (await isProgram(path, place.platform)) found.push(await identify(path, source, named, place))
      }
  }
  return found
}

/** Identifies a wrapper by the package of its executable, or else by the name of the executable. */
async function identify(
  path: string,
  source: Candidate['source'],
  wrappers: readonly AcpWrapper[],
  place: SearchPlace,
): Promise<Candidate> {
  const target = await realpath(path).catch(() => path)
  for (const wrapper of wrappers) {
    const version = await readWrapperVersion(path, target, wrapper)
    if (version === undefined) continue
    const node = await findNodeVersion(path, place)
    const problem = canRun(wrapper, node)
      ? undefined
      : createNodeProblem(`${wrapper.command} ${version}`, wrapper, path, node)
    return { wrapper, path, source, version, problem }
  }
  // A program without a package includes its own runtime, so it needs no Node.
  const name = getPathModule(place.platform)
    .basename(path)
    .replace(/\.\w+$/, '')
  const wrapper = wrappers.find(({ command }) => command === name) ?? wrappers[0]!
  const version = await readVersion(path, wrapper, place.env)
  return { wrapper, path, source, version, problem: undefined }
}

async function readWrapperVersion(
  path: string,
  target: string,
  { package: name }: AcpWrapper,
): Promise<string | undefined> {
  // A package with native programs publishes another package for each platform.
  const isOwn = (found: string) => found === name || found.startsWith(`${name}-`)
  for (let folder = dirname(target); ; folder = dirname(folder)) {
    const found = await readPackage(folder)
    if (found?.name !== undefined && isOwn(found.name)) return found.version
    if (folder === dirname(folder)) break
  }
  for (const folder of await packageFolders(path, target, name)) {
    const found = await readPackage(folder)
    if (found?.name === name) return found.version
  }
  return undefined
}

function canRun({ minimumNode }: AcpWrapper, node: string | undefined): boolean {
  return minimumNode === undefined || (node !== undefined && atLeast(node, minimumNode))
}

function createMissingProblem(title: string, { command, variable, install }: AcpWrapper): Problem {
  return {
    code: 'agent_missing',
    message: `The ACP wrapper of ${title} is not installed: no ${command} in PATH or the common install folders`,
    hint: `Install it: ${install} (or set ${variable} to its path)`,
  }
}

function createVersionProblem(title: string, path: string): Problem {
  return {
    code: 'version_unknown',
    message: `The ACP wrapper of ${title} at ${path} does not report its version, so it may not work`,
    hint: `Run it by hand and check its output: ${path} --version`,
  }
}

/** The folders with a project's package commands, from the working directory upwards. */
function listProjectFolders({ cwd, platform }: SearchPlace): string[] {
  const paths = getPathModule(platform)
  const folders: string[] = []
  for (let folder = paths.resolve(cwd); ; folder = paths.dirname(folder)) {
    folders.push(paths.join(folder, 'node_modules', '.bin'))
    if (folder === paths.dirname(folder)) return folders
  }
}
