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
import { clip, countByName, createPathId, toPathInfo } from './report.ts'
import { type CallFilter, readCallPages, readFailures } from './failures.ts'
import { readFixSources } from './fix-sources.ts'

/** The latest sessions in which recoveries are searched. */
const maxSessions = 30
/** The calls that are read of each session. */
const maxCalls = 5_000
const maxShown = { inputs: 5, errors: 5, examples: 3, recoveries: 5, similar: 5, sessions: 5, projects: 10 }
const maxLength = { input: 2_000, error: 2_000, change: 1_000, line: 300 }

/** Collects everything about one path that helps to fix it. */
export async function readPathDetail(
  context: Context,
  id: string,
  filter: CallFilter,
  utcOffset: number,
): Promise<PathDetail> {
  const selected = (await readFailures(context.ledger)).select(filter)
  const all = await selected.paths()
  const path = all.find(({ name }) => createPathId(name) === id)
  if (!path)
    throw new RemoraError('not_found', 'No failures match this pattern', {
      hint: 'It may be older than the selected period. Select all time.',
    })
  const failures = selected.desires.filter(({ pattern }) => pattern === path.name)
  const statistics = inspect(failures, { top: maxSessions, utcOffset })
  const found = await findRecoveries(context, failures, statistics.latestSessions)
  const sources = await readFixSources(context, path.agents, found)
  return {
    ...toPathInfo(path),
    days: statistics.days.slice(-800).map((each) => ({ ...each })),
    byAgent: statistics.agents.map((each) => ({ ...each })),
    byProject: countByName(failures, ({ cwd }) => cwd ?? '').slice(0, maxShown.projects),
    inputs: shortenNames(statistics.inputs, maxShown.inputs),
    errors: shortenNames(statistics.errors, maxShown.errors),
    examples: failures.slice(-maxShown.examples).reverse().map(toPathExample),
    latestSessions: await addTitles(context, statistics.latestSessions.slice(0, maxShown.sessions)),
    recoveries: found.slice(0, maxShown.recoveries).map(toPathRecovery),
    recovered: found.reduce((sum, { attempts }) => sum + attempts, 0),
    fixes: suggest(path, sources).map(({ kind, text, where, paste }) => ({ kind, text, where, paste })),
    similar: findSimilar(path, all).map(toPathInfo),
  }
}

function shortenNames(entries: readonly { readonly name: string; readonly count: number }[], limit: number) {
  return entries.slice(0, limit).map(({ name, count }) => ({ name: clip(name, maxLength.line), count }))
}

/** Searches the sessions with failures of the path for later successes. */
async function findRecoveries(
  { ledger }: Context,
  failures: readonly Desire[],
  sessions: readonly SessionKey[],
): Promise<Recovery[]> {
  const found: Recovery[] = []
  for (const { agent, session } of sessions) {
    const calls: CallEntry[] = []
    for await (const page of readCallPages(ledger, { session: { agent, session } })) {
      calls.push(...page)
      if (calls.length >= maxCalls) break
    }
    const own = failures.filter((each) => each.agent === agent && each.session === session)
    found.push(...recoveries(calls, own))
  }
  return found.sort((one, other) => other.success.at - one.success.at)
}

async function addTitles(
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

function toPathExample({ agent, session, at, tool, native, status, input, error, cwd }: Desire): PathExample {
  return {
    agent,
    session,
    at,
    tool: clip(tool, 100),
    native: clip(native, 100),
    status,
    input: clip(inputText(input), maxLength.input),
    error: clip(error ?? '', maxLength.error),
    ...(cwd === undefined ? {} : { cwd }),
  }
}

function toPathRecovery({
  agent,
  session,
  success,
  attempts,
  calls,
  durationMs,
  changes,
}: Recovery): PathRecovery {
  const side = (text: string | null): string | null => (text === null ? null : clip(text, maxLength.change))
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

/** Finds paths with the same detail, or of the same class with a similar name. */
function findSimilar(path: DesirePath, all: readonly DesirePath[]): DesirePath[] {
  const score = (other: DesirePath): number => {
    const hasSameDetail = path.detail !== undefined && other.detail === path.detail
    const isSameClass = other.class === path.class
    if (!hasSameDetail && !isSameClass) return 0
    const names = similarity(path.name.slice(0, 80), other.name.slice(0, 80))
    return (hasSameDetail ? 2 : 0) + (isSameClass ? 1 : 0) + (other.tool === path.tool ? 0.5 : 0) + names
  }
  return all
    .slice(0, 500)
    .filter(({ name }) => name !== path.name)
    .map((other) => ({ other, score: score(other) }))
    .filter(({ score }) => score >= 1.5)
    .sort((one, two) => two.score - one.score || two.other.score - one.other.score)
    .slice(0, maxShown.similar)
    .map(({ other }) => other)
}
