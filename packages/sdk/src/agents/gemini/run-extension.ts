import { randomUUID } from 'node:crypto'
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { McpServer, Place, Problem } from '../../contract/agent.ts'
import { asRecord } from '../../events/fields.ts'
import { isRunning, parseOwner, thisProcess } from '../../process/owner.ts'
import { createUnsupportedError } from '../../versions/unsupported.ts'
import { atLeast } from '../../versions/version.ts'
import { readJsonSettings } from '../../dialects/settings.ts'
import { title } from './arguments.ts'
import { forget, ruledExtensions, switchOff } from './enablement.ts'
import { enabledExtensions, enablementFile, extensionsFolder } from './extensions.ts'
import { geminiFolder } from './home.ts'
import { since } from './versions.ts'

/** MCP servers for one run, as an extension that only this run uses. */
export interface RunExtension {
  readonly args: readonly string[]
  /** Holds every value, so that none of them is in a file. */
  readonly env: Readonly<Record<string, string>>
  remove(): Promise<Problem[]>
}

const prefix = 'remora-run-'
const ownerFile = 'remora-owner.json'

/**
 * Makes the extension. It is switched off before it appears, so that other starts of the CLI do not see it; `-e`
 * switches it on for this run, and names the user's own beside it.
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
    // Complete before it has its place: the CLI complains of a half one.
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
 * Takes away what runs left whose process has died.
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
  // A run that has just switched its extension off is about to make the folder.
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

/** Says what would silently not work. */
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

/** The configuration with a variable in place of every value that comes from the caller. */
function extensionConfig(
  name: string,
  servers: Readonly<Record<string, McpServer>>,
  place: Place,
): { config: unknown; env: Record<string, string> } {
  const env: Record<string, string> = {}
  // The CLI hides variables with such a name from the commands of the model, where it hides any.
  const reference = (value: string): string => {
    const variable = `REMORA_MCP_SECRET_${Object.keys(env).length}`
    env[variable] = value
    return `$${variable}`
  }
  // From 0.31 on values of these two are expanded a second time.
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
