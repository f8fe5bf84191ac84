import { readFile, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { Place } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { atLeast } from '../../versions/version.ts'
import { exists, resolveLinks } from '../../files/paths.ts'
import { geminiFolder } from './home.ts'
import { hashProject } from './session-place.ts'

/** From this version on folders are named after the project, before after the hash of its path. */
const namedFolders = '0.28.0'
const marker = '.project_root'

/** The folder of a project's sessions, and the marker file without which the CLI does not recognize it. */
export interface SessionFolder {
  readonly chats: string
  readonly cwd?: string
  readonly marker?: { readonly path: string; readonly text: string }
}

/** The known facts about a session's project. */
export interface ProjectHint {
  readonly cwd?: string | undefined
  /** The sha256 of its path, which every session contains. */
  readonly hash?: string | undefined
}

/** Finds the folder in which the CLI will look for a project's sessions, or plans it as the CLI would. */
export async function sessionFolder(place: Place, hint: ProjectHint): Promise<SessionFolder> {
  const root = join(geminiFolder(place), 'tmp')
  const projects = await registeredProjects(place)
  const project = await projectPath(place, hint, Object.keys(projects))
  const hash = project === undefined ? hint.hash : hashProject(project)
  const old = hash === undefined ? undefined : join(root, hash)
  const known = project === undefined ? {} : { cwd: project }
  if (old !== undefined && !atLeast(place.version, namedFolders))
    return { chats: join(old, 'chats'), ...known }
  const name = project === undefined ? undefined : await ownName(place, project, projects)
  // The next start migrates an old version's folder, unless the new one already has content.
  const isUsed =
    name !== undefined && (await readdir(join(root, name)).catch(() => [])).some((each) => each !== marker)
  if (old !== undefined && !isUsed && (await exists(old))) return { chats: join(old, 'chats'), ...known }
  if (project === undefined)
    throw new RemoraError('not_found', 'It is not known in which folder the session worked', {
      hint: 'Say it: --cwd <folder>',
    })
  const folder = join(root, name ?? (await freeName(place, project, projects)))
  const path = join(folder, marker)
  return {
    chats: join(folder, 'chats'),
    ...known,
    ...((await exists(path)) ? {} : { marker: { path, text: project } }),
  }
}

async function projectPath(
  place: Place,
  { cwd, hash }: ProjectHint,
  registered: readonly string[],
): Promise<string | undefined> {
  if (cwd !== undefined) return resolveLinks(cwd)
  const candidates = [await resolveLinks(place.cwd), ...registered]
  return candidates.find((path) => hashProject(path) === hash)
}

async function registeredProjects(place: Place): Promise<Readonly<Record<string, unknown>>> {
  try {
    const text = await readFile(join(geminiFolder(place), 'projects.json'), 'utf8')
    return asRecord(asRecord(JSON.parse(text))?.['projects']) ?? {}
  } catch {
    return {}
  }
}

/** Finds the name of a project: as registered, else by the marker of a folder. */
async function ownName(
  place: Place,
  project: string,
  projects: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  const registered = asString(projects[project])
  if (registered !== undefined) {
    const name = basename(registered)
    if ((await readOwners(place, name)).every((owner) => owner === project)) return name
  }
  for (const base of bases(place))
    for (const name of await readdir(base).catch(() => []))
      if ((await readMarker(join(base, name))) === project) return name
  return undefined
}

/** Chooses the name that the CLI would give to a new project. */
async function freeName(
  place: Place,
  project: string,
  projects: Readonly<Record<string, unknown>>,
): Promise<string> {
  const plain = basename(project)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  const taken = new Set(Object.values(projects))
  for (let count = 0; ; count++) {
    const name = (plain || 'project') + (count === 0 ? '' : `-${count}`)
    if (!taken.has(name) && (await readOwners(place, name)).length === 0) return name
  }
}

/** Reads which projects own a name. */
async function readOwners(place: Place, name: string): Promise<string[]> {
  const owners = await Promise.all(bases(place).map((base) => readMarker(join(base, name))))
  return owners.filter((owner) => owner !== undefined)
}

/** A project has a folder in each, with a marker that names it. */
function bases(place: Place): string[] {
  return ['tmp', 'history'].map((name) => join(geminiFolder(place), name))
}

async function readMarker(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, marker), 'utf8').catch(() => undefined)
  return text?.trim()
}
