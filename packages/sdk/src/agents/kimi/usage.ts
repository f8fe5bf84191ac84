import { type Usage, addUsage } from '@remora/protocol/plain'
import type { Place } from '../../contract/agent.ts'
import { asCount, asRecord, asString, defined, findOwn } from '../../events/fields.ts'
import { findSessionFolder, readRecords } from './session-files.ts'

/** The tokens of one request. What comes from a cache, or goes into one, is counted apart from the rest of the input. */
export function toUsage(value: unknown): Usage {
  const counts = asRecord(value) ?? {}
  const plain = asCount(counts['inputOther'])
  const read = asCount(counts['inputCacheRead'])
  const written = asCount(counts['inputCacheCreation'])
  const inputTokens = plain === undefined ? undefined : plain + (read ?? 0) + (written ?? 0)
  const outputTokens = asCount(counts['output'])
  return defined({
    inputTokens,
    outputTokens,
    totalTokens:
      inputTokens === undefined || outputTokens === undefined ? undefined : inputTokens + outputTokens,
    cachedTokens: read,
    cacheWriteTokens: written,
  })
}

/** The tokens of a run by model, from the session's file, because the output of a run does not have them. */
export async function readRunUsage(
  place: Place,
  session: string,
  since: number,
): Promise<Readonly<Record<string, Usage>>> {
  const models: Record<string, Usage> = {}
  const folder = await findSessionFolder(place, session)
  for (const record of folder ? await readRecords(folder, /^(?:usage\.record|subagent\.completed)$/) : []) {
    if ((asCount(record['time']) ?? 0) < since) continue
    const model = asString(record['model']) ?? ''
    models[model] = addUsage(findOwn(models, model) ?? {}, toUsage(record['usage']))
  }
  return models
}
