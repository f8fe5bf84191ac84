import { randomUUID } from 'node:crypto'
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { McpServer, Place, Problem } from '../../contract/agent.ts'
import { asRecord } from '../../events/fields.ts'
import { isRunning, parseOwner, thisProcess } from '../../process/owner.ts'
import { createUnsupportedError, atLeast } from '../../versions/version.ts'
import { readJsonSettings } from '../../dialects/settings.ts'
import { title } from './arguments.ts'
import {
  forget,
  ruledExtensions,
  switchOff,
  enabledExtensions,
  enablementFile,
  extensionsFolder,
} from './extensions.ts'
import { geminiFolder } from './home.ts'
import { since } from './versions.ts'

/** MCP servers of one run, as an extension that only this run enables. */
export interface RunExtension {
  readonly args: readonly string[]
  /** Variables with every value, so that no value is in a file. */
  readonly env: Readonly<Record<string, string>>
  remove(): Promise<Problem[]>
}

const prefix = 'remora-run-'
const ownerFile = 'remora-owner.json'

/**
 * Creates the extension. It is disabled before it exists, so that other starts of the CLI ignore it; `-e` enables it
 * for this run together with the user's own extensions.
 *
 * @example const { args, env, remove } = await createRunExtension({ lab: { url } }, place)
 */
export async function createRunExtension(
  servers: Readonly<Record<string, McpServer>>,
  place: Place,
  extraArgs: readonly string[] = [],
): Promise<RunExtension> {
  const enabled = await enabledExtensions(place)
  await refuse(
    servers,
    place,
    enabled.flatMap(({ mcpServers }) => mcpServers),
  )
  const name = `${prefix}${randomUUID()}`
  const { config, env } = extensionConfig(name, servers, place)
  const folder = join(extensionsFolder(place), name)
  const problems: Problem[] = []
  if (!(await switchOff(enablementFile(place), name))) problems.push(visible(place))
  const remove = async (): Promise<Problem[]> => {
    await rm(folder, { recursive: true, force: true })
    await forget(enablementFile(place), [name])
    return problems
  }
  try {
    // The folder is moved into place when it is complete, because the CLI reports incomplete ones.
    const draft = join(geminiFolder(place), name)
    await mkdir(draft, { mode: 0o700 })
    const install = { source: folder, type: 'local' }
    for (const [file, content] of Object.entries({
      [ownerFile]: await thisProcess(),
      'gemini-extension.json': config,
      '.gemini-extension-install.json': install,
    })) {
      await writeFile(join(draft, file), `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
    }
    await rename(draft, folder)
  } catch (error) {
    await remove()
    throw error
  }
  const named = extraArgs.some((arg) => /^(-e|--extensions)(=|$)/.test(arg))
    ? []
    : enabled.map((each) => each.name)
  return { args: [...named, name].flatMap((each) => ['-e', each]), env, remove }
}

/**
 * Removes the extensions of runs whose process has died.
 *
 * @example await removeStaleExtensions(place)
 */
export async function removeStaleExtensions(place: Place): Promise<void> {
  const folder = extensionsFolder(place)
  const stale = new Set<string>()
  for (const parent of [folder, geminiFolder(place)]) {
    for (const name of await ours(parent)) {
      if (!(await isStale(join(parent, name)))) continue
      await rm(join(parent, name), { recursive: true, force: true })
      stale.add(name)
    }
  }
  const here = new Set(await ours(folder))
  const file = enablementFile(place)
  // A run that has just disabled its extension is about to create the folder.
  const old = (await age(file)) > youngMs
  const ruled = (await ruledExtensions(file)).filter((name) => name.startsWith(prefix) && !here.has(name))
  const left = ruled.filter((name) => old || stale.has(name))
  if (left.length > 0) await forget(file, left)
}

const youngMs = 10_000

async function ours(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).filter((name) => name.startsWith(prefix))
}

async function isStale(folder: string): Promise<boolean> {
  try {
    const owner = parseOwner(asRecord(JSON.parse(await readFile(join(folder, ownerFile), 'utf8'))))
    return !owner || !(await isRunning(owner))
  } catch {
    return (await age(folder)) > youngMs
  }
}

async function age(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined)
  return found ? Date.now() - found.mtimeMs : 0
}

/** Reports settings that silently have no effect. */
async function refuse(
  servers: Readonly<Record<string, McpServer>>,
  place: Place,
  taken: string[],
): Promise<void> {
  const user = await readJsonSettings(join(geminiFolder(place), 'settings.json'))
  const project = await readJsonSettings(join(place.cwd, '.gemini', 'settings.json'))
  for (const settings of [user, project]) {
    const allowed = settings.get('security', 'allowedExtensions')
    if (Array.isArray(allowed) && allowed.length > 0) {
      throw createUnsupportedError(
        title,
        'the option mcpServers here',
        `security.allowedExtensions in ${settings.file} allows only some extensions, and MCP servers for one run are one.`,
      )
    }
    taken.push(...Object.keys(asRecord(settings.get('mcpServers')) ?? {}))
  }
  const twice = Object.keys(servers).find((name) => taken.includes(name))
  if (twice !== undefined) {
    throw new RemoraError('input', `${title} has an MCP server "${twice}" of the user's already`, {
      hint: 'Give the server of this run another name; the CLI would mix the two up.',
    })
  }
}

/** Replaces every value of the caller by a variable. */
function extensionConfig(
  name: string,
  servers: Readonly<Record<string, McpServer>>,
  place: Place,
): { config: unknown; env: Record<string, string> } {
  const env: Record<string, string> = {}
  // The CLI hides variables with such a name from the model's commands if it hides any.
  const reference = (value: string): string => {
    const variable = `REMORA_MCP_SECRET_${Object.keys(env).length}`
    env[variable] = value
    return `$${variable}`
  }
  // From 0.31 on the CLI expands values of these two twice.
  const twice = (values: Readonly<Record<string, string>>): Record<string, string> => {
    const escape = atLeast(place.version, since.envExpansion)
    const entries = Object.entries(values)
    return Object.fromEntries(
      entries.map(([key, value]) => [key, reference(escape ? value.replaceAll('$', '\\$') : value)]),
    )
  }
  const configured = Object.entries(servers).map(([key, server]) => [
    key,
    'url' in server
      ? { httpUrl: reference(server.url), headers: twice(server.headers ?? {}) }
      : {
          command: reference(server.command),
          args: (server.args ?? []).map(reference),
          env: twice(server.env ?? {}),
          cwd: place.cwd,
        },
  ])
  return { config: { name, version: '1.0.0', mcpServers: Object.fromEntries(configured) }, env }
}

function visible(place: Place): Problem {
  return {
    code: 'extension_visible',
    message: `Other starts of Gemini CLI saw the MCP servers of this run: ${enablementFile(place)} is malformed`,
    hint: 'Correct or delete that file.',
  }
}
