import { access, constants, readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import {
  type Alias,
  type DocMapping,
  type PackageManager,
  type Recovery,
  type SuggestSources,
  checkAlias,
  isInPath,
} from '@remora/insights'
import { findAgent, hookStatus, listTools } from '@remora/sdk/hooks'
import type { Context } from '../core/context.ts'

/** Reads what this machine knows about fixes, like `remora suggest`. */
export async function readFixSources(
  context: Context,
  agents: readonly string[],
  recoveries: readonly Recovery[],
): Promise<SuggestSources> {
  const since = await readPavedSince(context, agents)
  const counts = await context.ledger.countCalls({ by: ['agent', 'tool'], failed: false })
  return {
    aliases: await readAliases(context),
    mappings: await readList<DocMapping>(context, 'mappings.json', isMapping),
    recoveries,
    agent: findAgent,
    tools: (agent) => [
      ...listTools(findAgent(agent)?.tools ?? {}),
      ...counts.flatMap(({ agent: user, tool }) =>
        user === agent && tool?.startsWith('mcp__') ? [tool] : [],
      ),
    ],
    managers: await findManagers(context.env['PATH']),
    isInstalled: (command) => isInPath(command, context.env['PATH']),
    pavedSince: (agent) => since.get(agent),
  }
}

/** Skips invalid aliases, which the command line reports. */
async function readAliases(context: Context): Promise<Alias[]> {
  const found: Alias[] = []
  for (const alias of await readList<Alias>(context, 'aliases.json', () => true))
    try {
      found.push(checkAlias(alias, { kept: true }))
    } catch {
      // Skipped.
    }
  return found
}

async function readList<T>(
  { remoraHome }: Context,
  name: string,
  isValid: (value: unknown) => boolean,
): Promise<T[]> {
  const value = await readJson(join(remoraHome, name))
  return Array.isArray(value) ? (value.filter(isValid) as T[]) : []
}

function isMapping(value: unknown): boolean {
  const { pattern, doc, tool } = (value ?? {}) as Record<string, unknown>
  return (
    typeof pattern === 'string' && typeof doc === 'string' && (tool === undefined || typeof tool === 'string')
  )
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as unknown
  } catch {
    return undefined
  }
}

/** Reads the day since which the hook of each agent applies the aliases. */
async function readPavedSince(
  { remoraHome, env, home }: Context,
  agents: readonly string[],
): Promise<Map<string, string>> {
  const paved = (await readJson(join(remoraHome, 'pave.json'))) as
    | { readonly hooks?: Readonly<Record<string, unknown>> }
    | undefined
  const days = new Map<string, string>()
  for (const id of agents) {
    const at = paved?.hooks?.[id]
    const agent = typeof at === 'string' ? findAgent(id) : undefined
    if (!agent?.hooks) continue
    try {
      const { files } = await hookStatus(agent, { place: { env, home, cwd: home }, remoraHome })
      if (files.some((each) => each.paved.length > 0)) days.set(id, String(at).slice(0, 10))
    } catch {
      // Unreadable settings have no Remora hook.
    }
  }
  return days
}

const programs: readonly (readonly [PackageManager, string])[] = [
  ['brew', 'brew'],
  ['apt', 'apt-get'],
  ['npm', 'npm'],
  ['pip', 'pip'],
]

async function findManagers(path = ''): Promise<PackageManager[]> {
  const folders = path.split(delimiter).filter(Boolean)
  const found: PackageManager[] = []
  for (const [manager, program] of programs) {
    const candidates = folders.map((folder) => access(join(folder, program), constants.X_OK))
    if ((await Promise.allSettled(candidates)).some(({ status }) => status === 'fulfilled'))
      found.push(manager)
  }
  return found
}
