import type { Answered, Glance } from '../../agent.ts'
import { timeOf } from '../../event-maker.ts'
import { stringOf } from '../../fields.ts'
import type { AgentRecord } from '../../read-record.ts'
import { tokensOf } from './transcript-content.ts'

const update = Buffer.from('{"$set":{"lastUpdated"')
const result = Buffer.from('"type":"user","content":[{"functionResponse"')

/** Every second line says only when the last one was written, and results for the model repeat those of the calls. */
export const glance: Glance = {
  skips(line) {
    return line.subarray(0, update.length).equals(update) || line.subarray(0, 200).includes(result)
  },
  answer,
}

function answer(record: AgentRecord): Answered | undefined {
  const entity = stringOf(record['id'])
  const at = timeOf(record['timestamp'])
  if (record['type'] !== 'gemini' || entity === undefined || at === undefined) return undefined
  const model = stringOf(record['model'])
  const usage = tokensOf(record['tokens'])
  return { entity, at, ...(model === undefined ? {} : { model }), ...(usage ? { usage } : {}) }
}
