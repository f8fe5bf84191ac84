import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { SlashCommand } from '../contract/agent.ts'
import { defined } from '../events/fields.ts'

/** A folder of files that define slash commands. */
export interface CommandFiles {
  readonly folder: string
  readonly from: SlashCommand['from']
  readonly ending: '.md' | '.toml'
  /** Joins subfolders and file name to the command's name. Without it, subfolders are skipped. */
  readonly separator?: string
  /** Reads the command from the text of a file; undefined if there is none. */
  read(text: string): Partial<SlashCommand> | undefined
}

/** Hand-written commands stay far below these limits; a wrong folder may not. */
const maxCommands = 300
const maxDepth = 5
const maxBytes = 16 * 1024

/**
 * Reads the commands of a folder, sorted by name. Unreadable files are skipped.
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
    const definition = files.read(await readBeginning(path))
    const name = [...above, entry.name.slice(0, -files.ending.length)].join(files.separator ?? '')
    if (definition && name !== '') found.push({ name, from: files.from, ...definition })
  }
}

/** Reads the start of a file; empty if it is unreadable. Does not block on a pipe. */
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

/** Reads the frontmatter of a Markdown file. The first line is the description if there is none. */
export function readMarkdown(text: string): Partial<SlashCommand> {
  const fields = parseFrontmatter(text)
  const body = text.replace(/^---\r?\n[\s\S]*?\n---\r?\n?/, '')
  const first = body.split('\n').find((line) => line.trim() !== '')
  return defined({
    description: toOneLine(fields.get('description') ?? first?.replace(/^#+\s*/, '')),
    hint: toOneLine(fields.get('argument-hint')),
  })
}

/** Parses the scalar fields of a frontmatter; lists and blocks are skipped. */
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

/** Shortens a text to one line. */
export function toOneLine(text: string | undefined): string | undefined {
  const line = text?.replaceAll(/\s+/g, ' ').trim()
  return line ? line.slice(0, 200) : undefined
}
