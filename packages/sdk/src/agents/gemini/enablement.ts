import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { applyEdits, modify, parse } from 'jsonc-parser'
import type { ParseError } from 'jsonc-parser'
import { withFileLock } from '../../files/file-lock.ts'
import { isObject } from '../../dialects/settings.ts'

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
