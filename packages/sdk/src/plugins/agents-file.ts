import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { asRecord, asString } from '../events/fields.ts'
import { withFileLock } from '../files/file-lock.ts'

/** An agent that the user added: an ACP command, or a package with a definition. */
export type AddedAgent = AddedCommand | AddedPlugin

interface Added {
  readonly id: string
  readonly title: string
  readonly addedAt: number
}

/** An agent that is known only by its ACP command. */
export interface AddedCommand extends Added {
  readonly kind: 'acp'
  /** A command in PATH, or an absolute path. */
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** An agent whose definition is in a package. */
export interface AddedPlugin extends Added {
  readonly kind: 'plugin'
  /** The name in its package.json. */
  readonly package: string
  readonly version: string
  /** What the user named: a package of the registry, or a path. */
  readonly source: string
  /** The hash over all its installed files. */
  readonly integrity: string
  /** The folder with its installed files, below the folder of all state. */
  readonly folder: string
}

/** The file with the agents that the user added. It is only ever written by `remora agents`. @example getAgentsFile(remoraHome) */
export function getAgentsFile(remoraHome: string): string {
  return join(remoraHome, 'agents.json')
}

/** Reads the added agents, in the order in which they were added. @example await readAddedAgents('/home/me/.remora') */
export async function readAddedAgents(remoraHome: string): Promise<AddedAgent[]> {
  const file = getAgentsFile(remoraHome)
  let content: unknown
  try {
    content = JSON.parse(await readFile(file, 'utf8'))
  } catch (cause) {
    // A folder that cannot be searched is reported by whatever needs it.
    if (!existsSync(file)) return []
    throw new RemoraError('config', `Cannot read ${file}: ${(cause as Error).message}`, {
      hint: 'Fix the file, or delete it and add your agents again with: remora agents add',
      cause,
    })
  }
  const entries = asRecord(content)?.['agents']
  return (Array.isArray(entries) ? (entries as unknown[]) : []).flatMap((entry) => parseAgent(entry) ?? [])
}

/** Adds an agent, or replaces the one with its id. @example await saveAddedAgent(remoraHome, entry) */
export async function saveAddedAgent(remoraHome: string, agent: AddedAgent): Promise<void> {
  await change(remoraHome, (agents) =>
    agents.some(({ id }) => id === agent.id)
      ? agents.map((each) => (each.id === agent.id ? agent : each))
      : [...agents, agent],
  )
}

/**
 * Removes an agent and its installed files. Returns the removed entry, if there was one.
 *
 * @example await removeAddedAgent(remoraHome, 'mine')
 */
export async function removeAddedAgent(remoraHome: string, id: string): Promise<AddedAgent | undefined> {
  let removed: AddedAgent | undefined
  await change(remoraHome, (agents) => {
    removed = agents.find((agent) => agent.id === id)
    return agents.filter((agent) => agent.id !== id)
  })
  if (removed?.kind === 'plugin') await rm(join(remoraHome, 'plugins', id), { recursive: true, force: true })
  return removed
}

async function change(remoraHome: string, edit: (agents: AddedAgent[]) => AddedAgent[]): Promise<void> {
  const file = getAgentsFile(remoraHome)
  await mkdir(remoraHome, { recursive: true, mode: 0o700 })
  await withFileLock(file, async () => {
    const agents = edit(await readAddedAgents(remoraHome))
    // Write and rename, so that a reader sees the old file or the new one.
    const draft = `${file}.${process.pid}`
    await writeFile(draft, `${JSON.stringify({ agents }, null, 2)}\n`, { mode: 0o600 })
    await rename(draft, file)
  })
}

function parseAgent(entry: unknown): AddedAgent | undefined {
  const fields = asRecord(entry) ?? {}
  const [id, command] = [asString(fields['id']), asString(fields['command'])]
  if (id === undefined) return undefined
  const common = { id, title: asString(fields['title']) ?? id, addedAt: Number(fields['addedAt']) || 0 }
  if (fields['kind'] === 'acp' && command !== undefined) {
    const env = asRecord(fields['env'])
    return {
      ...common,
      kind: 'acp',
      command,
      args: Array.isArray(fields['args']) ? fields['args'].map(String) : [],
      ...(env ? { env: env as Record<string, string> } : {}),
    }
  }
  const [name, version, source, integrity, folder] = (
    ['package', 'version', 'source', 'integrity', 'folder'] as const
  ).map((key) => asString(fields[key]))
  if (fields['kind'] !== 'plugin' || !name || !version || !source || !integrity || !folder) return undefined
  return { ...common, kind: 'plugin', package: name, version, source, integrity, folder }
}
