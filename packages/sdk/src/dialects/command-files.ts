import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { SlashCommand } from '../contract/commands.ts'
import { defined } from '../events/fields.ts'

/** How a kind of files tells commands. */
export interface CommandFiles {
  readonly folder: string
  readonly from: SlashCommand['from']
  readonly ending: '.md' | '.toml'
  /** Joins the folders and the name of a file to the name of the command. Without it, only files of the folder itself count. */
  readonly separator?: string
  /** What the text of a file says of its command; undefined where it is none. */
  read(text: string): Partial<SlashCommand> | undefined
}

/** What a person writes by hand is far below these; a folder that is no such folder is not. */
const maxCommands = 300
const maxDepth = 5
const maxBytes = 16 * 1024

/**
 * The commands that lie in a folder, by name. What cannot be read is left out.
 *
 * @example await readCommands({ folder, from: 'user', ending: '.md', separator: ':', read: readMarkdown })
 */
export async function readCommands(files: CommandFiles): Promise<SlashCommand[]> {
  const found: SlashCommand[] = []
  await scanFolder(files, files.folder, [], found)
  return found
}

async function scanFolder(
  files: CommandFiles,
  folder: string,
  above: readonly string[],
  found: SlashCommand[],
): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    if (found.length >= maxCommands) return
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (files.separator !== undefined && above.length < maxDepth)
        await scanFolder(files, path, [...above, entry.name], found)
      continue
    }
    if (!entry.name.endsWith(files.ending)) continue
    const said = files.read(await readBeginning(path))
    const name = [...above, entry.name.slice(0, -files.ending.length)].join(files.separator ?? '')
    if (said && name !== '') found.push({ name, from: files.from, ...said })
  }
}

/** The beginning of a file; empty where it cannot be read. A pipe is not waited for. */
export async function readBeginning(path: string): Promise<string> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    if (!(await file.stat()).isFile()) return ''
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } catch {
    return ''
  }
}

/** What stands between the lines of dashes above a Markdown file; its first words where there is nothing. */
export function readMarkdown(text: string): Partial<SlashCommand> {
  const fields = parseFrontmatter(text)
  const body = text.replace(/^---\r?\n[\s\S]*?\n---\r?\n?/, '')
  const first = body.split('\n').find((line) => line.trim() !== '')
  return defined({
    description: toOneLine(fields.get('description') ?? first?.replace(/^#+\s*/, '')),
    hint: toOneLine(fields.get('argument-hint')),
  })
}

/** The plain fields of a frontmatter; lists and blocks are nothing that is shown. */
export function parseFrontmatter(text: string): Map<string, string> {
  const [, block = ''] = /^---\r?\n([\s\S]*?)\n---/.exec(text) ?? []
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const [, key, value = ''] = /^([\w-]+):\s*(.*?)\s*$/.exec(line) ?? []
    if (key !== undefined && value !== '' && !/^[|>]/.test(value))
      fields.set(key.toLowerCase(), value.replace(/^(["'])(.*)\1$/, '$2'))
  }
  return fields
}

/** One line of it, for a list. */
export function toOneLine(text: string | undefined): string | undefined {
  const line = text?.replaceAll(/\s+/g, ' ').trim()
  return line ? line.slice(0, 200) : undefined
}
