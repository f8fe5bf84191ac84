import { type UnaskedCall, getCommandLine, listPaths, readUnasked, riskLevels } from '@remora/insights'
import type { Ledger } from '@remora/ledger'
import { findMode, toModeLike } from '@remora/protocol'
import type { UnaskedCallInfo, UnaskedCalls } from '@remora/protocol/api'
import { findAgent } from '@remora/sdk'
import type { CallFilter } from './failures.ts'

/** How many calls are read at once: the latest of the chosen time. */
const maxCalls = 1000
const longestText = 2000

/** The calls that no person decided about, for the app. */
export async function createUnaskedReport(
  ledger: Ledger,
  filter: CallFilter,
  limit: number,
): Promise<UnaskedCalls> {
  const report = await readUnasked(
    ledger,
    { ...filter, limit: maxCalls },
    (agent, mode) => findMode(findAgent(agent)?.modes ?? [], mode)?.like ?? toModeLike(mode),
  )
  const { ran, blocked, answered, calls } = report
  return {
    ran: ran.slice(0, limit).map(describe),
    blocked: blocked.slice(0, limit).map(describe),
    counts: { ran: ran.length, blocked: blocked.length, answered },
    levels: riskLevels.map((name) => ({ name, count: ran.filter(({ level }) => level === name).length })),
    ...(calls >= maxCalls ? { limitedTo: maxCalls } : {}),
  }
}

function describe({ call, reason, rule, level, risks }: UnaskedCall): UnaskedCallInfo {
  const { agent, session, at, tool, input, cwd, status, error } = call
  const text = getCommandLine(input) ?? (listPaths(input).join('\n') || JSON.stringify(input ?? {}))
  return {
    agent,
    session,
    at,
    tool,
    text: cut(text),
    ...(cwd === undefined ? {} : { cwd }),
    reason,
    ...(rule === undefined ? {} : { rule }),
    ...(status === 'denied' && error ? { refusal: cut(error) } : {}),
    level,
    risks: risks.map(({ id, meaning }) => ({ id, meaning })),
  }
}

function cut(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text
}
