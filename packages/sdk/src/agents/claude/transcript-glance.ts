import type { Answered, Glance } from '../../agent.ts'
import { timeOf } from '../../event-maker.ts'
import { fieldsOf, stringOf } from '../../fields.ts'
import type { AgentRecord } from '../../read-record.ts'
import { messageUsage } from './content.ts'

// Quotes inside a text are escaped, so that neither can stand in one.
const result = Buffer.from('"type":"tool_result"')
const attachment = Buffer.from('"attachment":{')

/** Where in a line it says what it is. */
const beginning = 512

/** Most of a file is output of tools, and most of the rest is blocks of answers with what each answer cost. */
export const glance: Glance = {
  skips(line) {
    const first = line.subarray(0, beginning)
    return first.includes(result) || first.includes(attachment)
  },
  answer,
}

/** An answer of the model, unless it is a sub-agent's or the CLI's own. */
function answer(record: AgentRecord): Answered | undefined {
  if (record['type'] !== 'assistant' || record['isSidechain'] === true) return undefined
  const message = fieldsOf(record['message'])
  const entity = stringOf(message?.['id'])
  const model = stringOf(message?.['model'])
  const at = timeOf(record['timestamp'])
  const usage = fieldsOf(message?.['usage'])
  if (entity === undefined || model === undefined || model === '<synthetic>') return undefined
  if (at === undefined || !usage || record['isApiErrorMessage'] === true) return undefined
  return { entity, at, model, usage: messageUsage(usage) }
}
