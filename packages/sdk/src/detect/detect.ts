import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute } from 'node:path'
import type { Agent, Place, Problem } from '../contract/agent.ts'
import { atLeast } from '../versions/version.ts'
import { createNodeProblem, findNodeVersion } from './find-node.ts'
import { type SearchPlace, listFolderCandidates, listPathCandidates } from './folders.ts'
import { expandHome, getPathModule, isProgram, isReadableFile } from './paths.ts'
import { readVersion } from './read-version.ts'

/** An agent, or a program that belongs to one. */
export type Detectable = Pick<Agent, 'title' | 'detection'>

/** How a CLI was found: by its variable, on the PATH, or in a common folder. */
export type DetectionSource = 'variable' | 'path' | 'folder'

/** Whether and where an agent is installed, and problems. */
export interface Detected {
  readonly installed: boolean
  readonly path?: string
  readonly version?: string
  /** How it was found: by the agent's variable, in PATH, or in an install folder. */
  readonly source?: DetectionSource
  /** The paths that were checked, in order, up to the one that was found. */
  readonly tried: readonly string[]
  readonly problems: readonly Problem[]
}

/** The environment to search; that of this process by default. */
export interface DetectPlace extends Partial<Place> {
  readonly platform?: NodeJS.Platform
}

/**
 * Finds an agent's executable: by its own variable, then in PATH, then in the common install folders. The version is read
 * from its package or path; the CLI is started only if neither has it.
 *
 * @example
 * const { installed, path, version, problems } = await detect(gemini)
 */
export async function detect(agent: Detectable, place: DetectPlace = {}): Promise<Detected> {
  const where = {
    env: place.env ?? process.env,
    home: place.home ?? homedir(),
    cwd: place.cwd ?? process.cwd(),
    platform: place.platform ?? process.platform,
  }
  const { detection } = agent
  const chosen = where.env[detection.variable]?.trim()
  // No fallback if the variable is set, because it would hide a wrong path.
  if (chosen) {
    const path = getPathModule(where.platform).resolve(
      where.cwd,
      expandHome(chosen, where.home, where.platform),
    )
    const usable = isScript(path) ? await isReadableFile(path) : await isProgram(path, where.platform)
    if (!usable) return badPath(agent, path)
    return found(agent, path, 'variable', [path], where)
  }
  const tried: string[] = []
  const exact = getPathModule(where.platform).isAbsolute(detection.command)
  for (const [source, candidates] of [
    ['path', exact ? [detection.command] : listPathCandidates(detection.command, where)],
    ['folder', exact ? [] : await listFolderCandidates(detection, where)],
  ] as const) {
    for (const path of candidates) {
      if (tried.includes(path)) continue
      tried.push(path)
      const usable =
        exact && isScript(path) ? await isReadableFile(path) : await isProgram(path, where.platform)
      if (usable) return found(agent, path, source, tried, where)
    }
  }
  return { installed: false, tried, problems: [missing(agent)] }
}

async function found(
  agent: Detectable,
  path: string,
  source: DetectionSource,
  tried: readonly string[],
  place: SearchPlace,
): Promise<Detected> {
  if (agent.detection.unversioned) return { installed: true, path, source, tried, problems: [] }
  const version = await readVersion(path, agent.detection, place.env)
  const problems: Problem[] = version === undefined ? [versionUnknown(agent, path)] : []
  const { minimum, install } = agent.detection
  problems.push(...(await listNodeProblems(agent, path, place)))
  if (version !== undefined && minimum !== undefined && !atLeast(version, minimum)) {
    problems.push({
      code: 'agent_too_old',
      message: `${agent.title} ${version} at ${path} is older than ${minimum}`,
      hint: `Update it: ${install}`,
    })
  }
  return { installed: true, path, ...(version === undefined ? {} : { version }), source, tried, problems }
}

/** A script runs with the first Node in PATH. A program that brings its own runtime needs none. */
async function listNodeProblems(
  { title, detection }: Detectable,
  path: string,
  place: SearchPlace,
): Promise<Problem[]> {
  const { minimumNode } = detection
  if (minimumNode === undefined || !isScript(await realpath(path).catch(() => path))) return []
  const node = await findNodeVersion(path, place)
  if (node === undefined || atLeast(node, minimumNode)) return []
  return [createNodeProblem(title, detection, path, node)]
}

function versionUnknown(agent: Detectable, path: string): Problem {
  return {
    code: 'version_unknown',
    message: `${agent.title} at ${path} does not tell its version, so it may not work`,
    hint: `Run it by hand and see what it says: ${isScript(path) ? 'node ' : ''}${path} --version`,
  }
}

function badPath(agent: Detectable, path: string): Detected {
  const { variable, install } = agent.detection
  const problem = {
    code: 'bad_path',
    message: `${variable} points at ${path}, which is no program`,
    hint: `Correct ${variable}, or unset it to search PATH. To install ${agent.title}: ${install}`,
  }
  return { installed: false, tried: [path], problems: [problem] }
}

function missing(agent: Detectable): Problem {
  const { command, variable, install } = agent.detection
  return {
    code: 'agent_missing',
    message: isAbsolute(command)
      ? `${agent.title} is not installed: ${command} is missing or not executable`
      : `${agent.title} is not installed: no ${command} in PATH or the common install folders`,
    hint: `Install it: ${install} (or set ${variable} to its path)`,
  }
}

function isScript(path: string): boolean {
  return /\.[cm]?js$/i.test(path)
}
