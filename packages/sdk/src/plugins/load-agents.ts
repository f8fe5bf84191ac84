import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { registerAgent } from '../agents/registry.ts'
import { createAcpAgent } from '../channels/acp/command-agent.ts'
import type { Agent, Problem } from '../contract/agent.ts'
import { isWithin } from '../files/paths.ts'
import { type AddedAgent, type AddedPlugin, getAgentsFile, readAddedAgents } from './agents-file.ts'
import { guardAgent } from './guard-agent.ts'
import { importPlugin } from './import-plugin.ts'
import { hashFolder } from './integrity.ts'

/** An added agent that could not be loaded, and why. */
export interface BrokenAgent {
  readonly id: string
  readonly title: string
  readonly problem: Problem
}

interface Loaded {
  /** The entry from which it was loaded. */
  readonly entry: string
  remove(): void
}

const loaded = new Map<string, Loaded>()
let stamp = ''
let broken: readonly BrokenAgent[] = []
let loading: Promise<unknown> = Promise.resolve()

/**
 * Registers the agents that the user added, and removes those that the user removed since. A call without changes costs
 * one `stat`. An agent that cannot be loaded is left out and returned; the others are not affected.
 *
 * @example const broken = await loadAddedAgents('/home/me/.remora')
 */
export async function loadAddedAgents(remoraHome: string): Promise<readonly BrokenAgent[]> {
  const result = loading.then(() => load(remoraHome))
  loading = result.catch(() => {})
  return result
}

/** Finds an added agent that was not loaded by the last call of `loadAddedAgents`. @example findBrokenAgent('mine')?.problem */
export function findBrokenAgent(id: string): BrokenAgent | undefined {
  return broken.find((agent) => agent.id === id)
}

async function load(remoraHome: string): Promise<readonly BrokenAgent[]> {
  const file = getAgentsFile(remoraHome)
  const state = await stat(file).catch(() => undefined)
  const current = `${file} ${state?.mtimeMs} ${state?.size} ${state?.ino}`
  if (current === stamp) return broken
  const entries = await readAddedAgents(remoraHome)
  const problems: BrokenAgent[] = []
  const kept = new Map(entries.map((entry) => [entry.id, JSON.stringify([remoraHome, entry])]))
  for (const [id, { entry, remove }] of loaded) {
    if (kept.get(id) === entry) continue
    remove()
    loaded.delete(id)
  }
  for (const entry of entries) {
    if (loaded.has(entry.id)) continue
    try {
      const remove = registerAgent(await createAgent(remoraHome, entry))
      loaded.set(entry.id, { entry: kept.get(entry.id)!, remove })
    } catch (error) {
      problems.push({ id: entry.id, title: entry.title, problem: toProblem(entry, error) })
    }
  }
  stamp = current
  broken = problems
  return broken
}

async function createAgent(remoraHome: string, entry: AddedAgent): Promise<Agent> {
  if (entry.kind === 'acp') return createAcpAgent(entry)
  await verifyPlugin(remoraHome, entry)
  const agent = await importPlugin(getPackageFolder(remoraHome, entry))
  if (agent.id !== entry.id) throw new RemoraError('config', `the package now defines the agent ${agent.id}`)
  return guardAgent(agent)
}

/** The folder of the installed package of a plugin. @example getPackageFolder(remoraHome, entry) */
export function getPackageFolder(remoraHome: string, entry: Pick<AddedPlugin, 'folder' | 'package'>): string {
  return join(remoraHome, entry.folder, 'node_modules', entry.package)
}

/** Throws if a file of the plugin is not the one that the user added. Nothing of it has run at this point. */
async function verifyPlugin(remoraHome: string, entry: AddedPlugin): Promise<void> {
  const folder = join(remoraHome, entry.folder)
  if (!isWithin(join(remoraHome, 'plugins'), folder))
    throw new RemoraError('config', `its folder ${entry.folder} is outside the folder of plugins`)
  const hash = await hashFolder(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause
    throw new RemoraError('config', 'its files are missing', {
      hint: `Add it again: remora agents add ${entry.source}`,
    })
  })
  if (hash.integrity !== entry.integrity) throw new ChangedPluginError(entry, folder)
}

/** The files of a plugin are not the ones that the user agreed to. */
class ChangedPluginError extends RemoraError {
  constructor({ id, source }: AddedPlugin, folder: string) {
    super('config', 'its files have changed since you added it', {
      hint: `Check ${folder}, then run: remora agents trust ${id}. Or install it again: remora agents add ${source}`,
    })
  }
}

function toProblem({ id }: AddedAgent, error: unknown): Problem {
  const message = error instanceof Error ? error.message : String(error)
  return {
    code: error instanceof ChangedPluginError ? 'plugin_changed' : 'plugin_failed',
    message: `${id} is not loaded: ${message}`,
    hint: (RemoraError.is(error) ? error.hint : undefined) ?? `Remove it: remora agents remove ${id}`,
  }
}
