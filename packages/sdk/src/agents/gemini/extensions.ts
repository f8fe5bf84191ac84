import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Place } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { resolveLinks } from '../../files/paths.ts'
import { isObject } from '../../dialects/settings.ts'
import { geminiFolder } from './home.ts'

/** An extension of the user that is enabled in the working directory. */
export interface InstalledExtension {
  readonly name: string
  readonly mcpServers: readonly string[]
}

export function extensionsFolder(place: Place): string {
  return join(geminiFolder(place), 'extensions')
}

/** The file with the folders in which each extension is disabled. */
export function enablementFile(place: Place): string {
  return join(extensionsFolder(place), 'extension-enablement.json')
}

/**
 * Lists the extensions that the CLI loads by default. `-e` replaces the list, so callers that pass it have to name
 * these too.
 *
 * @example (await enabledExtensions(place)).map(({ name }) => name)
 */
export async function enabledExtensions(place: Place): Promise<InstalledExtension[]> {
  const folder = extensionsFolder(place)
  const rules = asRecord(await readJson(enablementFile(place)))
  const cwd = await resolveLinks(place.cwd)
  const found: InstalledExtension[] = []
  for (const entry of await readdir(folder).catch(() => [])) {
    const extension = await readExtension(join(folder, entry))
    if (extension && isEnabled(asRecord(rules?.[extension.name])?.['overrides'], cwd)) found.push(extension)
  }
  return found
}

/** The last matching rule wins; `!` before a path disables, `*` after it includes subfolders. */
export function isEnabled(overrides: unknown, folder: string): boolean {
  const path = withSlashes(folder)
  let enabled = true
  for (const rule of Array.isArray(overrides) ? (overrides as unknown[]) : []) {
    if (typeof rule !== 'string') continue
    const off = rule.startsWith('!')
    const pattern = (off ? rule.slice(1) : rule)
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')
      // `/a/*` includes /a itself.
      .replace(/\/\.\*/g, '(?:/.*)?')
    if (new RegExp(`^${pattern}$`).test(path)) enabled = !off
  }
  return enabled
}

async function readExtension(folder: string): Promise<InstalledExtension | undefined> {
  const install = await readJson(join(folder, '.gemini-extension-install.json'))
  const linked = isObject(install) && install['type'] === 'link' ? asString(install['source']) : undefined
  const config = asRecord(await readJson(join(linked ?? folder, 'gemini-extension.json')))
  const name = asString(config?.['name'])
  if (!name || !config?.['version']) return undefined
  return { name, mcpServers: Object.keys(asRecord(config['mcpServers']) ?? {}) }
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as unknown
  } catch {
    return undefined
  }
}

function withSlashes(folder: string): string {
  const path = folder.replaceAll('\\', '/')
  return `${path.startsWith('/') ? '' : '/'}${path}${path.endsWith('/') ? '' : '/'}`
}
