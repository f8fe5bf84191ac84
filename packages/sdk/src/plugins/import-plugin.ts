import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError, parseJson } from '@remora/protocol/plain'
import type { Agent } from '../contract/agent.ts'
import { asRecord, asString } from '../events/fields.ts'
import { resolveEntry } from './resolve-entry.ts'
import { findShapeFaults } from './agent-shape.ts'
import { provideContract } from './provide-contract.ts'

/** The version of the agent contract. It grows when definitions for an earlier version no longer work. */
export const contractVersion = 1

/** How long an import may take. It limits only a module that waits. */
const importMs = 10_000

/** What a plugin's package.json says, checked without running its code. */
export interface PluginManifest {
  readonly name: string
  readonly version: string
  /** The path of its module. */
  readonly entry: string
}

/**
 * Reads the package.json of a plugin. Throws if the package is no plugin, or for another version of the contract.
 *
 * @example (await readPluginManifest('/home/me/my-agent')).version
 */
export async function readPluginManifest(folder: string): Promise<PluginManifest> {
  const file = join(folder, 'package.json')
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new RemoraError('config', `Cannot read ${file}: ${cause.message}`, { cause })
  })
  let content: unknown
  try {
    content = parseJson(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw new RemoraError('config', `${file} is not JSON`, { cause })
  }
  const fields = asRecord(content) ?? {}
  const [name, version] = [asString(fields['name']), asString(fields['version'])]
  if (!name || !version) throw new RemoraError('config', `${file} has no name or no version`)
  const contract = asRecord(fields['remora'])?.['contract']
  if (contract === undefined)
    throw new RemoraError('config', `${name} is not a Remora plugin`, {
      hint: `The package.json of a plugin contains "remora": { "contract": ${contractVersion} }.`,
    })
  if (contract !== contractVersion)
    throw new RemoraError(
      'unsupported',
      `${name} ${version} needs version ${JSON.stringify(contract)} of the agent contract; this Remora has ${contractVersion}`,
      {
        hint:
          typeof contract === 'number' && contract > contractVersion
            ? 'Update Remora.'
            : 'Add a version of the plugin that was made for this Remora: remora agents add <package>',
      },
    )
  return { name, version, entry: resolveEntry(folder, fields) }
}

/**
 * Imports a plugin and checks that it defines an agent. This runs its code: verify its files before.
 *
 * @example const agent = await importPlugin('/home/me/my-agent')
 */
export async function importPlugin(folder: string, timeoutMs = importMs): Promise<Agent> {
  const { name, entry } = await readPluginManifest(folder)
  provideContract()
  const module = await importWithin(timeoutMs, entry, name)
  const agent = module['default'] ?? module['agent']
  if (agent === undefined)
    throw new RemoraError('config', `${name} exports no agent`, {
      hint: 'Export it: export default defineAgent({ … })',
    })
  const faults = findShapeFaults(agent)
  if (faults.length > 0)
    throw new RemoraError('config', `The agent of ${name} is incomplete`, {
      hint: faults.map(({ part, message }) => `${part}: ${message}`).join('; '),
    })
  return agent as Agent
}

async function importWithin(
  timeoutMs: number,
  entry: string,
  name: string,
): Promise<Record<string, unknown>> {
  const stop = new AbortController()
  const loading = import(pathToFileURL(entry).href) as Promise<Record<string, unknown>>
  try {
    return await Promise.race([
      loading,
      sleep(timeoutMs, undefined, { signal: stop.signal }).then(() => {
        throw new RemoraError('config', `${name} did not load within ${timeoutMs / 1000} seconds`)
      }),
    ])
  } finally {
    stop.abort()
    // A failure after the timeout was already reported.
    loading.catch(() => {})
  }
}
