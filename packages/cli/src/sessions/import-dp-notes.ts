import { join } from 'node:path'
import {
  type Alias,
  type AliasKind,
  type DocMapping,
  aliasKinds,
  aliasText,
  checkAlias,
  mergeAliases,
} from '@remora/insights'
import type { DesiresReport } from '@remora/intake'
import type { Io } from '../command/io.ts'
import { editAliases, readAliases } from '../insights/aliases/alias-file.ts'
import { editMappings, readMappings } from '../insights/desires/mappings.ts'

type Notes = DesiresReport['notes']
type Note = Notes['aliases'][number]

/** Imported, existing and invalid entries. */
export interface NotesReport {
  readonly added: number
  readonly kept: number
  readonly refused: readonly { readonly name: string; readonly reason: string }[]
}

/** Imports aliases and mappings of desire-path. Existing ones of Remora win. */
export async function importNotes(
  { aliases, mappings }: Notes,
  io: Io,
): Promise<{ readonly aliases: NotesReport; readonly mappings: NotesReport }> {
  return { aliases: await importAliases(aliases, io), mappings: await importMappings(mappings, io) }
}

async function importAliases(notes: Notes['aliases'], io: Io): Promise<NotesReport> {
  const refused: { name: string; reason: string }[] = []
  const good = notes.flatMap((note) => {
    const alias = toAlias(note)
    try {
      return [checkAlias(alias)]
    } catch (error) {
      refused.push({ name: aliasText(alias), reason: (error as Error).message })
      return []
    }
  })
  const { added, skipped } = mergeAliases(await readAliases(io), good, 'skip')
  if (added.length > 0) await editAliases(io, (own) => mergeAliases(own, good, 'skip').aliases)
  return { added: added.length, kept: skipped.length, refused }
}

function toAlias(note: Note): Alias {
  const { from, to, tool, param, command, message, createdAt } = note
  const kind = getKind(note)
  // These kinds always mean shell commands, so the scope is implied.
  const isShell = ['flag', 'command', 'recipe'].includes(kind) && tool === 'Bash' && param === 'command'
  const scope = {
    ...(isShell ? {} : { tool, param }),
    ...(kind === 'command' || kind === 'recipe' ? {} : { command }),
    message,
  }
  return {
    kind,
    from: from || command,
    to,
    ...Object.fromEntries(Object.entries(scope).filter(([, value]) => value !== '')),
    createdAt: parseDate(createdAt),
  }
}

function getKind({ kind, tool, param, command }: Note): AliasKind {
  if (kind === '') return tool + param + command === '' ? 'tool' : 'literal'
  // An unknown kind is reported by name.
  return aliasKinds.find((each) => each === kind) ?? (kind as AliasKind)
}

async function importMappings(notes: Notes['mappings'], io: Io): Promise<NotesReport> {
  const isBad = ({ pattern, doc }: Notes['mappings'][number]): boolean => pattern.trim() === '' || doc === ''
  const good = notes
    .filter((note) => !isBad(note))
    .map(({ pattern, tool, doc, excerpt, createdAt, updatedAt }): DocMapping => ({
      pattern: pattern.trim(),
      ...(tool === '' ? {} : { tool }),
      doc: doc.startsWith('~/') ? join(io.home, doc.slice(2)) : doc,
      ...(excerpt === '' ? {} : { excerpt }),
      createdAt: parseDate(createdAt),
      updatedAt: parseDate(updatedAt || createdAt),
    }))
  const before = await readMappings(io)
  const added = newIn(before, good)
  if (added.length > 0) await editMappings(io, (own) => [...own, ...newIn(own, good)])
  const refused = notes
    .filter(isBad)
    .map(({ pattern }) => ({ name: pattern, reason: 'It has no pattern or no document' }))
  return { added: added.length, kept: good.length - added.length, refused }
}

/** Mappings whose pattern and tool have none yet. */
function newIn(own: readonly DocMapping[], others: readonly DocMapping[]): DocMapping[] {
  const getKey = ({ pattern, tool = '' }: DocMapping): string =>
    JSON.stringify([pattern.toLowerCase(), tool.toLowerCase()])
  const known = new Set(own.map(getKey))
  return others.filter((each) => !known.has(getKey(each)) && known.add(getKey(each)))
}

function parseDate(time: number): string {
  return new Date(time || Date.now()).toISOString()
}
