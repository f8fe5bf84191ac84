import { existsSync } from 'node:fs'
import { type Effect, type Fix, aliasFits, aliasText, docFor, effects } from '@remora/insights'
import { readFilter } from '../../args/filter-options.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { ago } from '../../output/format-time.ts'
import { homePath } from '../../output/home-path.ts'
import { type Column, table } from '../../output/table.ts'
import { readAliases } from '../aliases/alias-file.ts'
import { programPath } from '../aliases/rules-file.ts'
import { toCell } from '../desires/format-call.ts'
import { readMappings } from '../desires/mappings.ts'
import { checkSpan } from '../desires/read-query.ts'
import { showCalls } from '../desires/show-calls.ts'
import { readPaved } from './pave-file.ts'

const columns: readonly Column[] = [
  { title: 'FIX', least: 12 },
  { title: 'KIND', from: 70 },
  { title: 'SINCE', from: 70 },
  { title: 'DAYS', align: 'right', from: 96 },
  { title: 'BEFORE', align: 'right' },
  { title: 'AFTER', align: 'right' },
  { title: 'PER SESSION', from: 90 },
  { title: 'RESULT' },
]

/** Shows for each fix whether failures went down. */
export async function showEffect(input: Input, io: Io): Promise<number> {
  const { since, ...filter } = readFilter(input, io)
  checkSpan({ ...filter, ...(since === undefined ? {} : { since }) })
  const fixes = (await listFixes(io)).filter(({ createdAt }) => createdAt >= (since ?? 0))
  // --since selects fixes; the calls before them are needed for comparison.
  const { since: _, ...values } = input.values
  return showCalls({ ...input, values }, io, { failed: false }, ({ calls, failures }) => {
    const found = effects(fixes, calls, failures).filter(
      ({ agent }) => agent === undefined || filter.agent === undefined || agent === filter.agent,
    )
    return {
      json: found.map((each) => ({ ...each, agent: each.agent ?? null })),
      lines: (paint, width) =>
        found.length === 0
          ? []
          : table(
              columns,
              found.map((each) => ({ cells: toCells(each) })),
              width,
              paint,
            ),
      none: 'No fixes applied yet.\n  Suggestions: remora desires suggest\n',
    }
  })
}

function toCells({ name, kind, createdAt, days, before, after, verdict }: Effect): string[] {
  const rates = `${before.perSession.toFixed(2)} → ${after.perSession.toFixed(2)}`
  const counts = [before, after].map(({ failures, sessions }) => `${failures} in ${sessions}`)
  return [toCell(name, 90), kind, ago(createdAt, Date.now()), String(days), ...counts, rates, verdict]
}

/** All fixes with a date: aliases, pave hooks, mappings and lessons. */
async function listFixes(io: Io): Promise<Fix[]> {
  const { hooks, lessons } = await readPaved(io)
  const aliases = await readAliases(io)
  return [
    ...aliases.map((alias): Fix => ({
      kind: 'alias',
      name: aliasText(alias),
      createdAt: Date.parse(alias.createdAt),
      ...(alias.agent === undefined ? {} : { agent: alias.agent }),
      fits: (failure) => aliasFits(alias, failure),
    })),
    // `remora uninstall` also removes the hook program.
    ...Object.entries(existsSync(programPath(io)) ? hooks : {}).map(([agent, createdAt]): Fix => ({
      kind: 'hook',
      name: `pave hook for ${agent}`,
      createdAt: Date.parse(createdAt),
      agent,
      fits: (failure) => aliases.some((alias) => aliasFits(alias, failure)),
    })),
    ...(await readMappings(io)).map((mapping): Fix => ({
      kind: 'mapping',
      name: mapping.pattern,
      createdAt: Date.parse(mapping.createdAt),
      fits: ({ pattern: name, tool }) => docFor([mapping], { name, tool }) !== undefined,
    })),
    ...lessons.map(({ file, agent, createdAt, patterns }): Fix => ({
      kind: 'lessons',
      name: homePath(file, io.home),
      createdAt: Date.parse(createdAt),
      ...(agent === undefined ? {} : { agent }),
      fits: ({ pattern }) => patterns.includes(pattern),
    })),
  ].sort((one, other) => other.createdAt - one.createdAt)
}
