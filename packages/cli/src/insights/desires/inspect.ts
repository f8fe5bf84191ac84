import type { Desire, DesirePath, DocMapping, Inspection } from '@remora/insights'
import { fail } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import { nearest } from '../../command/nearest.ts'
import type { Input } from '../../command/verb.ts'
import type { Colors } from '../../output/colors.ts'
import { plural, wholeNumber } from '../../output/format-number.ts'
import { ago, formatDate } from '../../output/format-time.ts'
import { homePath } from '../../output/home-path.ts'
import { cutTo, padTo } from '../../output/text-width.ts'
import { wrap } from '../../output/wrap-words.ts'
import { readAliases } from '../aliases/alias-file.ts'
import { toDesireJson, toCell, sessionIds } from './format-call.ts'
import { createBars, histogram } from './histogram.ts'
import { readMappings } from './mappings.ts'
import { type Seen, showCalls, explainNone } from './show-calls.ts'

/** Shows everything about the patterns that match. */
export async function inspectPattern(input: Input, io: Io): Promise<number> {
  const { aliasFits, aliasText, classMeanings, docFor, inspect, matchPattern, paths } =
    await import('@remora/insights')
  const word = input.positionals[1]!
  return showCalls(input, io, { failed: true }, async (seen) => {
    const all = paths(seen.failures)
    const meant = matchPattern(all, word)
    if (meant.length === 0) throw await unknown(word, all, seen)
    const names = new Set(meant.map(({ name }) => name))
    const failures = seen.failures.filter(({ pattern }) => names.has(pattern))
    const about = inspect(failures, {
      top: seen.query.limit ?? 5,
      utcOffset: -new Date().getTimezoneOffset(),
    })
    const mappings = await readMappings(io)
    const doc = meant.map((path) => docFor(mappings, path)).find((each) => each !== undefined)
    const alias = (await readAliases(io)).find((each) => failures.some((call) => aliasFits(each, call)))
    return {
      json: {
        patterns: meant.map(({ name }) => name),
        ...about,
        inputs: about.inputs.map(({ name, count }) => ({ input: toCell(name, 2000), count })),
        errors: about.errors.map(({ name, count }) => ({ error: toCell(name, 2000), count })),
        doc: doc ?? null,
        alias: alias ?? null,
        example: toDesireJson(meant[0]!.example),
      },
      async lines(paint, width) {
        const short = await sessionIds(seen.ledger)
        return [
          ...head(meant, about, width, paint),
          ...facts(about, failures, classMeanings, paint),
          ...(doc ? docLines(doc, io, paint) : []),
          ...(alias ? [`${paint.dim('Alias ')} ${toCell(aliasText(alias))}`] : []),
          ...days(about, width, paint),
          ...section('Inputs', about.inputs, width, paint),
          ...section('Errors', about.errors, width, paint),
          ...sessionLines(about, short, paint),
          ...others(meant, paint),
        ]
      },
    }
  })
}

async function unknown(word: string, all: readonly DesirePath[], { ledger, query }: Seen): Promise<Error> {
  if (all.length === 0) {
    const [message = '', hint = ''] = (await explainNone(ledger, query)).trimEnd().split('\n')
    return fail('not_found', message, hint.trim())
  }
  const names = all.map(({ name }) => name)
  const near = nearest(word, [...names, ...new Set(all.map(({ tool }) => tool))])
  return fail(
    'not_found',
    `No pattern matches "${word}"`,
    near ? `Did you mean "${near}"? List all: remora desires` : 'List all: remora desires',
  )
}

function head(
  meant: readonly DesirePath[],
  { count, sessions, first, last }: Inspection,
  width: number,
  paint: Colors,
) {
  const title = meant.length === 1 ? toCell(meant[0]!.name, 120) : plural(meant.length, 'pattern')
  return [
    ...wrap(title, width).map(paint.bold),
    ...wrap(
      `${plural(count, 'failure')} in ${plural(sessions, 'session')}, first ${formatDate(first)}, last ${ago(last, Date.now())}`,
      width,
    ),
  ]
}

function facts(
  { classes, agents }: Inspection,
  failures: readonly Desire[],
  meanings: Readonly<Record<string, string>>,
  paint: Colors,
): string[] {
  const [only] = classes
  const counts = classes.map((each) => `${each.class} ${each.count}`).join(', ')
  const natives = new Set(failures.filter(({ native, tool }) => native !== tool).map(({ native }) => native))
  return [
    classes.length === 1
      ? `${paint.dim('Class ')} ${only!.class}: ${meanings[only!.class]} ${paint.dim(`(rule ${only!.rule})`)}`
      : `${paint.dim('Class ')} ${counts}`,
    `${paint.dim('Agents')} ${agents.map(({ name, count }) => `${name} ${wholeNumber(count)}`).join(', ')}`,
    ...(natives.size === 0
      ? []
      : [`${paint.dim('Called')} ${[...natives].map((name) => toCell(name, 40)).join(', ')}`]),
  ]
}

function docLines({ doc, excerpt }: DocMapping, io: Io, paint: Colors): string[] {
  return [
    `${paint.dim('Doc   ')} ${homePath(doc, io.home)}`,
    ...(excerpt === undefined ? [] : [`       ${toCell(excerpt)}`]),
  ]
}

function days({ days: found }: Inspection, width: number, paint: Colors): string[] {
  const { by, bars } = createBars(found)
  return ['', paint.dim(`By ${by}`), ...histogram(bars, width)]
}

function section(title: string, entries: Inspection['inputs'], width: number, paint: Colors): string[] {
  if (entries.length === 0) return []
  const most = Math.max(...entries.map(({ count }) => wholeNumber(count).length))
  return [
    '',
    paint.dim(title),
    ...entries.map(({ name, count }) =>
      cutTo(`  ${padTo(wholeNumber(count), most, 'right')}  ${toCell(name, 160)}`, width),
    ),
  ]
}

function sessionLines({ latestSessions }: Inspection, short: (id: string) => string, paint: Colors) {
  const now = Date.now()
  const rows = latestSessions.map(({ agent, session, count, last }) => ({
    id: short(session),
    text: `${agent}, ${plural(count, 'failure')}, ${ago(last, now)}`,
  }))
  const width = Math.max(...rows.map(({ id }) => id.length))
  return ['', paint.dim('Sessions'), ...rows.map(({ id, text }) => `  ${id.padEnd(width)}  ${text}`)]
}

function others(meant: readonly DesirePath[], paint: Colors): string[] {
  if (meant.length === 1) return []
  const most = Math.max(...meant.map(({ count }) => wholeNumber(count).length))
  return [
    '',
    paint.dim('Patterns'),
    ...meant
      .slice(0, 10)
      .map(({ name, count }) => `  ${padTo(wholeNumber(count), most, 'right')}  ${toCell(name, 120)}`),
    ...(meant.length > 10 ? [paint.dim(`  … and ${meant.length - 10} more`)] : []),
  ]
}
