import { parseJson } from '@remora/protocol/plain'
import type { Answered, SummaryReader } from '../../contract/agent.ts'
import { parseTime } from '../../events/event-maker.ts'
import { asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { readUsage } from './transcript-content.ts'

const endLength = 250

/** Skips lines that only update a time, and results that repeat those of the calls. */
export function summaryReader(): SummaryReader {
  let last: { readonly answered: Answered; readonly begins: string; readonly tokens: string } | undefined
  return {
    skips: (beginning) =>
      beginning.startsWith('{"$set":{"lastUpdated"') ||
      beginning.includes('"type":"user","content":[{"functionResponse"'),
    readLine(line, beginning) {
      // A repeated answer with more calls has the same cost.
      if (last && beginning.startsWith(last.begins) && line.includes(last.tokens)) return last.answered
      const found = readAnswer(line, beginning)
      last = found && { ...found, begins: beginning.slice(0, beginning.indexOf(',"timestamp"')) }
      return found?.answered
    },
    readRecord,
  }
}

/** An answer without calls ends with its token counts. */
function readAnswer(line: Buffer, beginning: string): { answered: Answered; tokens: string } | undefined {
  const type = beginning.indexOf('","type":"gemini","content":')
  if (type === -1 || !beginning.startsWith('{"id":"')) return undefined
  const end = line.toString('latin1', Math.max(type, line.length - endLength))
  const cost = end.lastIndexOf('"tokens":{')
  const close = end.indexOf('}', cost)
  if (cost === -1 || !end.startsWith('},"model":"', close) || !end.endsWith('"}')) return undefined
  const model = line.toString('latin1', line.length - end.length + close + 11, line.length - 2)
  const entity = line.toString('latin1', 7, beginning.indexOf('"', 7))
  const at = parseTime(beginning.slice(type - 24, type))
  if (at === undefined || model.includes('"')) return undefined
  try {
    const usage = readUsage(parseJson(end.slice(cost + 9, close + 1)))
    return usage && { answered: { entity, at, model, usage }, tokens: end.slice(cost, close + 1) }
  } catch {
    return undefined
  }
}

function readRecord(record: AgentRecord): Answered | undefined {
  const entity = asString(record['id'])
  const at = parseTime(record['timestamp'])
  if (record['type'] !== 'gemini' || entity === undefined || at === undefined) return undefined
  const model = asString(record['model'])
  const usage = readUsage(record['tokens'])
  return { entity, at, ...(model === undefined ? {} : { model }), ...(usage ? { usage } : {}) }
}
