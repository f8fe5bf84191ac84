import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Usage, addUsage, parseJson } from '@remora/protocol/plain'
import type { Place } from '../../contract/agent.ts'
import { parseTime } from '../../events/event-maker.ts'
import { asCount, asRecord, asString, defined, findOwn } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { getSessionsFolder } from './home.ts'

/** The tokens of one request. Those read from the cache are part of the input. */
export function toUsage(record: AgentRecord): Usage {
  const inputTokens = asCount(record['inputTokens'])
  const outputTokens = asCount(record['outputTokens'])
  return defined({
    inputTokens,
    outputTokens,
    totalTokens:
      inputTokens === undefined || outputTokens === undefined ? undefined : inputTokens + outputTokens,
    cachedTokens: asCount(record['cacheReadTokens']),
    thoughtTokens: asCount(record['reasoningTokens']),
  })
}

/** The tokens of a process by model, as its last record has them. */
export function toModelUsage(shutdown: AgentRecord): Readonly<Record<string, Usage>> {
  const metrics = Object.entries(asRecord(shutdown['modelMetrics']) ?? {})
  return Object.fromEntries(
    metrics.map(([model, each]) => [model, toUsage(asRecord(asRecord(each)?.['usage']) ?? {})]),
  )
}

/**
 * The tokens of a run by model, from the session's file, because the output of a run does not have them. Versions before
 * 1.0.102 record them only at the end of the process.
 *
 * @example await readRunUsage(place, session, startedAt)
 */
export async function readRunUsage(
  place: Place,
  session: string,
  since: number,
): Promise<Readonly<Record<string, Usage>>> {
  const requests: Record<string, Usage> = {}
  let process: Readonly<Record<string, Usage>> = {}
  const file = join(getSessionsFolder(place), session, 'events.jsonl')
  const text = await readFile(file, 'utf8').catch(() => '')
  for (const line of text.split('\n')) {
    if (!/^\{"type":"session\.(?:usage_record|shutdown)"/.test(line)) continue
    const record = asRecord(parseLine(line))
    const data = asRecord(record?.['data'])
    if (!data || (parseTime(record?.['timestamp']) ?? 0) < since) continue
    const usage = asRecord(data['usage'])
    const model = asString(usage?.['model']) ?? ''
    if (usage) requests[model] = addUsage(findOwn(requests, model) ?? {}, toUsage(usage))
    else process = toModelUsage(data)
  }
  return Object.keys(requests).length > 0 ? requests : process
}

function parseLine(line: string): unknown {
  try {
    return parseJson(line)
  } catch {
    return undefined
  }
}
