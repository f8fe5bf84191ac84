import type { Glance } from '../../agent.ts'
import { timeOf } from '../../event-maker.ts'
import { tokensOf } from './transcript-content.ts'

const head = /^\{"id":"([^"]+)","timestamp":"([^"]+)","type":"gemini","content":/
// An answer is written again with its calls, which then stand behind this; those lines are read.
const tail = /"tokens":(\{[\d"a-z:,]*\}),"model":"([^"]+)"\}$/

/** Every second line says only when the last one was written, and results for the model repeat those of the calls. */
export function glance(beginning: string, end: string): Glance {
  if (beginning.startsWith('{"$set":{"lastUpdated"')) return 'skip'
  if (beginning.includes('"type":"user","content":[{"functionResponse"')) return 'skip'
  const [, entity, time] = head.exec(beginning) ?? []
  const [, tokens, model] = entity === undefined ? [] : (tail.exec(end) ?? [])
  const at = timeOf(time)
  if (entity === undefined || tokens === undefined || model === undefined || at === undefined) return 'read'
  const usage = tokensOf(JSON.parse(tokens))
  return usage ? { entity, at, model, usage } : 'read'
}
