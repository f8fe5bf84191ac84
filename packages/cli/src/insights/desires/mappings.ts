import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { DocMapping } from '@remora/insights'
import { fail } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { remoraHome } from '../../home/remora-home.ts'
import { editUserFile, readUserFile } from '../../home/user-file.ts'
import { colors } from '../../output/colors.ts'
import { ago } from '../../output/format-time.ts'
import { homePath } from '../../output/home-path.ts'
import { type Column, table } from '../../output/table.ts'
import { writeAll } from '../../output/write-all.ts'
import { toCell } from './format-call.ts'

function mappingsPath(io: Io): string {
  return join(remoraHome(io), 'mappings.json')
}

/** The documentation that the user linked to patterns. */
export async function readMappings(io: Io): Promise<DocMapping[]> {
  return readUserFile<DocMapping[]>(mappingsPath(io), [])
}

/** Changes it. */
export function editMappings(io: Io, edit: (mappings: DocMapping[]) => DocMapping[]): Promise<DocMapping[]> {
  return editUserFile<DocMapping[]>(mappingsPath(io), [], edit)
}

/** Links a pattern to documentation, or unlinks it. */
export async function mapPattern(input: Input, io: Io): Promise<number> {
  const { doc, excerpt, tool, delete: remove, json } = input.values
  const pattern = input.positionals[0]!.trim()
  const now = new Date().toISOString()
  const isMeant = (each: DocMapping): boolean =>
    each.pattern.toLowerCase() === pattern.toLowerCase() &&
    (each.tool ?? '').toLowerCase() === (typeof tool === 'string' ? tool : '').toLowerCase()
  if (remove) {
    let known: DocMapping | undefined
    let ofTools: string[] = []
    await editMappings(io, (all) => {
      const alike = all.filter((each) => each.pattern.toLowerCase() === pattern.toLowerCase())
      // Without --tool, the only mapping of the pattern is meant.
      known = all.find(isMeant) ?? (tool === undefined && alike.length === 1 ? alike[0] : undefined)
      ofTools = alike.flatMap((each) => each.tool ?? [])
      return all.filter((each) => each !== known)
    })
    if (!known)
      throw await fail(
        'not_found',
        `No link for "${pattern}"${typeof tool === 'string' ? ` of ${tool}` : ''}`,
        ofTools.length > 0
          ? `Choose one with --tool: ${ofTools.join(', ')}`
          : 'List them: remora desires map',
      )
    io.out(json ? `${JSON.stringify({ deleted: known }, null, 2)}\n` : `Deleted: ${known.pattern}\n`)
    return 0
  }
  const where = place(String(doc), io)
  const all = await editMappings(io, (before) => {
    const known = before.find(isMeant)
    const words = typeof excerpt === 'string' ? excerpt : known?.excerpt
    const mapping: DocMapping = {
      pattern: known?.pattern ?? pattern,
      ...(typeof tool === 'string' ? { tool } : {}),
      doc: where,
      ...(words ? { excerpt: words } : {}),
      createdAt: known?.createdAt ?? now,
      updatedAt: now,
    }
    return known ? before.map((each) => (each === known ? mapping : each)) : [...before, mapping]
  })
  const made = all.find(isMeant)!
  if (json) io.out(`${JSON.stringify(made, null, 2)}\n`)
  else io.out(`${made.pattern} → ${homePath(made.doc, io.home)}\n`)
  if (!isAddress(where) && !existsSync(where)) io.err(`remora: ${where} does not exist yet\n`)
  return 0
}

/** Stores an absolute path, since the next command may run in another folder. */
function place(doc: string, io: Io): string {
  if (isAddress(doc)) return doc
  return resolve(io.cwd, /^~(?=$|[/\\])/.test(doc) ? join(io.home, doc.slice(1)) : doc)
}

function isAddress(doc: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(doc)
}

const columns: readonly Column[] = [
  { title: 'PATTERN', least: 16 },
  { title: 'TOOL', least: 4 },
  { title: 'DOC', least: 12, cut: 'start' },
  { title: 'EXCERPT', least: 8, gives: 2 },
  { title: 'CHANGED', from: 70 },
]

/** Lists the mappings as a table or as JSON. */
export async function listMappings(input: Input, io: Io): Promise<number> {
  const all = await readMappings(io)
  if (input.values['json']) return writeAll(io, [`${JSON.stringify(all, null, 2)}\n`])
  if (all.length === 0) {
    io.err(
      'No patterns are linked yet.\n  Find one: remora desires. Then: remora desires map <pattern> --doc <file or URL>\n',
    )
    return 0
  }
  const now = Date.now()
  const rows = all.map(({ pattern, tool, doc, excerpt, updatedAt }) => ({
    cells: [
      toCell(pattern, 80),
      toCell(tool, 40) || '-',
      homePath(doc, io.home),
      toCell(excerpt, 60) || '-',
      ago(Date.parse(updatedAt), now),
    ],
  }))
  const lines = table(columns, rows, io.columns ?? 1000, await colors(input, io))
  return writeAll(
    io,
    lines.map((line) => `${line}\n`),
  )
}
