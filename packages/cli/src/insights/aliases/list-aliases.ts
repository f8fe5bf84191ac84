import { existsSync } from 'node:fs'
import type { Alias } from '@remora/insights'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { colors } from '../../output/colors.ts'
import { oneLine } from '../../output/one-line.ts'
import { type Column, table } from '../../output/table.ts'
import { wrap } from '../../output/wrap-words.ts'
import { writeAll } from '../../output/write-all.ts'
import { readAliases } from './alias-file.ts'
import { programPath } from './rules-file.ts'

const columns: readonly Column[] = [
  { title: 'KIND' },
  { title: 'FROM', least: 12 },
  { title: 'TO', least: 12 },
  { title: 'WHERE', least: 10 },
  { title: 'AGENT', from: 80 },
  { title: 'SINCE', from: 90 },
  { title: 'MESSAGE', least: 10, from: 120 },
]

/** Lists the aliases as a table or as JSON. */
export async function listAliases(input: Input, io: Io): Promise<number> {
  const aliases = await readAliases(io)
  if (input.values['json']) return writeAll(io, [`${JSON.stringify(aliases, null, 2)}\n`])
  if (aliases.length === 0) {
    io.out('No aliases yet. Add one: remora alias pip pip3 --replace\n')
    io.out('Suggestions: remora desires suggest\n')
    return 0
  }
  const paint = await colors(input, io)
  const rows = aliases.map((alias) => ({ cells: toCells(alias) }))
  const lines = table(columns, rows, io.columns ?? 1000, paint)
  if (!existsSync(programPath(io)))
    lines.push(
      '',
      ...wrap(
        'Not applied yet. To apply: remora pave --hook, or remora pave --agents-md',
        io.columns ?? 1000,
      ).map(paint.dim),
    )
  return writeAll(
    io,
    lines.map((line) => `${line}\n`),
  )
}

function toCells({ kind, from, to, tool, param, command, agent, message, createdAt }: Alias): string[] {
  const where = [command, tool, param].filter((word) => word !== undefined).join(' ')
  return [
    kind,
    oneLine(from, 200),
    oneLine(to, 200),
    where || '-',
    agent ?? 'all',
    createdAt.slice(0, 10),
    oneLine(message ?? '', 200),
  ]
}
