import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import {
  type Alias,
  type AliasPack,
  type Merged,
  aliasText,
  mergeAliases,
  createPack,
  readPack,
} from '@remora/insights'
import { RemoraError } from '@remora/protocol/plain'
import { parse, stringify } from 'smol-toml'
import { UsageError } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { writeAll } from '../../output/write-all.ts'
import { editAliases, readAliases } from './alias-file.ts'

type Format = 'toml' | 'json'

/** Exports the aliases to a file or to standard output. */
export async function exportAliases({ values, positionals }: Input, io: Io): Promise<number> {
  const [, file, more] = positionals
  if (more !== undefined)
    throw new UsageError(`Unexpected argument "${more}" for remora alias export`, 'Pass one file')
  const about = Object.fromEntries(
    ['name', 'description', 'author'].flatMap((name) =>
      typeof values[name] === 'string' ? [[name, values[name]]] : [],
    ),
  )
  const format = readFormat(values, file)
  const text = formatPack(createPack(await readAliases(io), about), format)
  if (file === undefined) return writeAll(io, [text])
  const path = resolve(io.cwd, file)
  const { editSettings } = await import('@remora/sdk/hooks')
  await editSettings(path, () => text, 0o644)
  if (values['json']) io.out(`${JSON.stringify({ file: path, format }, null, 2)}\n`)
  else io.out(`Written: ${path}\n`)
  return 0
}

/** Imports aliases from a file. */
export async function importAliases({ values, positionals }: Input, io: Io): Promise<number> {
  const [, file] = positionals
  if (file === undefined)
    throw new UsageError('remora alias import needs <file>', 'For example: remora alias import aliases.toml')
  const path = resolve(io.cwd, file)
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new RemoraError('input', `Cannot read ${path}: ${(cause as Error).message}`, {
      hint: 'Check the path of the file.',
      cause,
    })
  })
  const pack = readPack(parsePack(text, readFormat(values, file), path), new Date().toISOString())
  const conflict = values['conflict'] === 'overwrite' ? 'overwrite' : 'skip'
  let merged: Merged | undefined
  const merge = (own: readonly Alias[]): Alias[] =>
    (merged = mergeAliases(own, pack.aliases, conflict)).aliases
  if (values['dry-run']) merge(await readAliases(io))
  else await editAliases(io, merge)
  const { added, replaced, skipped } = merged!
  if (values['json']) {
    io.out(`${JSON.stringify({ dryRun: values['dry-run'] === true, added, replaced, skipped }, null, 2)}\n`)
    return 0
  }
  for (const [mark, list] of [
    ['+', added],
    ['~', replaced],
    ['=', skipped],
  ] as const)
    for (const alias of list) io.out(`${mark} ${aliasText(alias)} (${alias.kind})\n`)
  const done = `${added.length} added, ${replaced.length} changed, ${skipped.length} unchanged`
  io.out(values['dry-run'] ? `Dry run: ${done}\n` : `${done}\n`)
  return 0
}

function readFormat(values: Input['values'], file: string | undefined): Format {
  if (values['format'] === 'json' || values['format'] === 'toml') return values['format']
  return file !== undefined && extname(file).toLowerCase() === '.json' ? 'json' : 'toml'
}

/** @example formatPack(createPack(aliases), 'toml') */
function formatPack(pack: AliasPack, format: Format): string {
  return format === 'json' ? `${JSON.stringify(pack, null, 2)}\n` : stringify(pack)
}

/** Parses a set of aliases, without validation. */
function parsePack(text: string, format: Format, path: string): unknown {
  try {
    return format === 'json' ? JSON.parse(text) : parse(text)
  } catch (cause) {
    throw new RemoraError('config', `${path} is not valid ${format.toUpperCase()}: ${firstLine(cause)}`, {
      hint: 'Fix it, or set the format: --format toml or --format json',
      cause,
    })
  }
}

function firstLine(cause: unknown): string {
  return (cause as Error).message.split('\n')[0] ?? ''
}
