import { readFile, readdir, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, dirname } from 'node:path'
import { type ParseError, applyEdits, modify, parse } from 'jsonc-parser'
import type { Place } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { resolveLinks } from '../../files/paths.ts'
import { isObject } from '../../dialects/settings.ts'
import { withFileLock } from '../../files/file-lock.ts'
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

const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' }

/**
 * Disables an extension for every run that does not name it. Returns false if the file cannot be edited safely.
 *
 * @example await switchOff('/home/me/.gemini/extensions/extension-enablement.json', 'remora-run-1')
 */
export function switchOff(file: string, name: string): Promise<boolean> {
  return change(file, (text) => inserted(text, name))
}

/** Removes the entries of extensions, and the file if it becomes empty. */
export function forget(file: string, names: readonly string[]): Promise<boolean> {
  return change(file, (text) => names.reduce((rest, name) => removed(rest, name), text))
}

/** Lists the extensions that the file has a rule for. */
export async function ruledExtensions(file: string): Promise<string[]> {
  const rules: unknown = parse(await readFile(file, 'utf8').catch(() => '{}'))
  return isObject(rules) ? Object.keys(rules) : []
}

/** An empty file means the same as a missing one. */
const none = '{}'

async function change(file: string, edited: (text: string) => string): Promise<boolean> {
  await mkdir(dirname(file), { recursive: true })
  return withFileLock(file, async () => {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return none
      throw error
    })
    const errors: ParseError[] = []
    if (!isObject(parse(text, errors)) || errors.length > 0) return false
    const next = edited(text)
    if (next === text) return true
    if (next === none) await rm(file, { force: true })
    else {
      const mode = (await stat(file).catch(() => undefined))?.mode
      const draft = `${file}.remora-${process.pid}`
      await writeFile(draft, next, mode === undefined ? {} : { mode: mode & 0o777 })
      await rename(draft, file)
    }
    return true
  })
}

/** Inserts after the first brace, so that removing the entry restores the same bytes. */
function inserted(text: string, name: string): string {
  const start = text.indexOf('{') + 1
  const more = /^\s*\}/.test(text.slice(start)) ? '' : ','
  return text.slice(0, start) + entry(name) + more + text.slice(start)
}

function removed(text: string, name: string): string {
  const own = entry(name)
  for (const part of [`${own},`, `,${own}`, own]) {
    if (text.includes(part)) return text.replace(part, '')
  }
  // The CLI has rewritten the file since.
  return applyEdits(text, modify(text, [name], undefined, { formattingOptions }))
}

function entry(name: string): string {
  return `${JSON.stringify(name)}:{"overrides":["!/*"]}`
}
