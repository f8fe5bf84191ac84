import {
  type Desire,
  type DesirePath,
  type Recovery,
  inputText,
  inspect,
  recoveries,
  similarity,
  suggest,
} from '@remora/insights'
import type { CallEntry, SessionKey } from '@remora/ledger'
import { RemoraError } from '@remora/protocol'
import type { PathDetail, PathExample, PathRecovery } from '@remora/protocol/api'
import type { Context } from '../core/context.ts'
import { clip } from './clip.ts'
import { type Chosen, lookInto, pagesOf } from './failures.ts'
import { fixSources } from './fix-sources.ts'
import { counted, pathId, pathInfo } from './report.ts'

/** How an agent got on is looked for in so many sessions, the latest. */
const sessionsRead = 30
/** And in so many calls of each. */
const callsRead = 5_000
const shown = { inputs: 5, errors: 5, examples: 3, recoveries: 5, similar: 5, sessions: 5, projects: 10 }
const longest = { input: 2_000, error: 2_000, change: 1_000, line: 300 }

/** Everything about one path that helps to mend it. */
export async function pathDetail(
  context: Context,
  id: string,
  chosen: Chosen,
  utcOffset: number,
): Promise<PathDetail> {
  const look = (await lookInto(context.ledger)).of(chosen)
  const all = await look.paths()
  const path = all.find(({ name }) => pathId(name) === id)
  if (!path)
    throw new RemoraError('not_found', 'No failures match this pattern', {
      hint: 'It may be older than the selected period. Select all time.',
    })
  const failures = look.desires.filter(({ pattern }) => pattern === path.name)
  const about = inspect(failures, { top: sessionsRead, utcOffset })
  const mended = await recoveriesOf(context, failures, about.latestSessions)
  const sources = await fixSources(context, path.agents, mended)
  return {
    ...pathInfo(path),
    days: about.days.slice(-800).map((each) => ({ ...each })),
    byAgent: about.agents.map((each) => ({ ...each })),
    byProject: counted(failures, ({ cwd }) => cwd ?? '').slice(0, shown.projects),
    inputs: cut(about.inputs, shown.inputs),
    errors: cut(about.errors, shown.errors),
    examples: failures.slice(-shown.examples).reverse().map(exampleOf),
    latestSessions: await withTitles(context, about.latestSessions.slice(0, shown.sessions)),
    recoveries: mended.slice(0, shown.recoveries).map(recoveryOf),
    recovered: mended.reduce((sum, { attempts }) => sum + attempts, 0),
    fixes: suggest(path, sources).map(({ kind, text, where, paste }) => ({ kind, text, where, paste })),
    similar: alike(path, all).map(pathInfo),
  }
}

function cut(entries: readonly { readonly name: string; readonly count: number }[], limit: number) {
  return entries.slice(0, limit).map(({ name, count }) => ({ name: clip(name, longest.line), count }))
}

/** Only calls of sessions in which the path was tried can show the way out of it. */
async function recoveriesOf(
  { ledger }: Context,
  failures: readonly Desire[],
  sessions: readonly SessionKey[],
): Promise<Recovery[]> {
  const found: Recovery[] = []
  for (const { agent, session } of sessions) {
    const calls: CallEntry[] = []
    for await (const page of pagesOf(ledger, { session: { agent, session } })) {
      calls.push(...page)
      if (calls.length >= callsRead) break
    }
    const own = failures.filter((each) => each.agent === agent && each.session === session)
    found.push(...recoveries(calls, own))
  }
  return found.sort((one, other) => other.success.at - one.success.at)
}

async function withTitles(
  { ledger }: Context,
  sessions: readonly (SessionKey & { readonly count: number; readonly last: number })[],
): Promise<PathDetail['latestSessions']> {
  return Promise.all(
    sessions.map(async ({ agent, session, count, last }) => {
      const entry = await ledger.session({ agent, session })
      const title = entry?.name ?? entry?.title ?? entry?.firstPrompt
      return { agent, session, count, last, ...(title ? { title: clip(title, 120) } : {}) }
    }),
  )
}

function exampleOf({ agent, session, at, tool, native, status, input, error, cwd }: Desire): PathExample {
  return {
    agent,
    session,
    at,
    tool: clip(tool, 100),
    native: clip(native, 100),
    status,
    input: clip(inputText(input), longest.input),
    error: clip(error ?? '', longest.error),
    ...(cwd === undefined ? {} : { cwd }),
  }
}

function recoveryOf({
  agent,
  session,
  success,
  attempts,
  calls,
  durationMs,
  changes,
}: Recovery): PathRecovery {
  const side = (text: string | null): string | null => (text === null ? null : clip(text, longest.change))
  return {
    agent,
    session,
    at: success.at,
    attempts,
    calls,
    durationMs,
    changes: changes.slice(0, 10).map(({ field, from, to }) => ({
      field: clip(field, 100),
      from: side(from),
      to: side(to),
    })),
  }
}

/** Paths about the same thing, or of the same class with a name like it. */
function alike(path: DesirePath, all: readonly DesirePath[]): DesirePath[] {
  const near = (other: DesirePath): number => {
    const isSameThing = path.detail !== undefined && other.detail === path.detail
    const isSameClass = other.class === path.class
    if (!isSameThing && !isSameClass) return 0
    const names = similarity(path.name.slice(0, 80), other.name.slice(0, 80))
    return (isSameThing ? 2 : 0) + (isSameClass ? 1 : 0) + (other.tool === path.tool ? 0.5 : 0) + names
  }
  return all
    .slice(0, 500)
    .filter(({ name }) => name !== path.name)
    .map((other) => ({ other, score: near(other) }))
    .filter(({ score }) => score >= 1.5)
    .sort((one, two) => two.score - one.score || two.other.score - one.other.score)
    .slice(0, shown.similar)
    .map(({ other }) => other)
}
