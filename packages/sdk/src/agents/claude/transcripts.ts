import { join } from 'node:path'
import type { Answered, TranscriptsPart } from '../../agent.ts'
import { fieldsOf } from '../../fields.ts'
import type { AgentRecord } from '../../read-record.ts'
import { slashes } from '../../slashes.ts'
import { claudeFolder } from './home.ts'
import { timeOf } from '../../event-maker.ts'
import { stringOf } from '../../fields.ts'
import { messageUsage } from './content.ts'
import { transcriptReader } from './transcript-reader.ts'
import { ownerOf } from './transcript-threads.ts'

const uuid = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}'

// A session is named by its uuid. Its sub-agents write into a folder of that name, and wrote beside it before.
const session = new RegExp(
  `^[^/]+/(?:${uuid}|agent-[^/]+|${uuid}/subagents/(?:[^/]+/)*agent-[^/]+)\\.jsonl$`,
  'i',
)

export const transcripts: TranscriptsPart = {
  root: (place) => join(claudeFolder(place), 'projects'),
  isSession: (relativePath) => session.test(slashes(relativePath)),
  format: () => 'lines',
  recognises,
  reader: transcriptReader,
  glance: (beginning) => !beginning.includes('"type":"tool_result"') && !beginning.includes('"attachment":{'),
  answers: (path) => (ownerOf(path).agent === undefined ? answerIn : undefined),
  resume: (id) => ({ args: ['--resume', id] }),
}

/** An answer of the model, unless it is a sub-agent's or the CLI's own. */
function answerIn(record: AgentRecord): Answered | undefined {
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

function recognises(record: AgentRecord): boolean {
  const type = record['type']
  if (type === 'summary') return typeof record['leafUuid'] === 'string'
  if (type === 'file-history-snapshot') return typeof record['messageId'] === 'string'
  if (typeof type !== 'string' || typeof record['sessionId'] !== 'string') return false
  if (type !== 'user' && type !== 'assistant') return record['projectHash'] === undefined
  // Others have the same frame around messages of their own shape.
  const content = fieldsOf(record['message'])?.['content']
  return 'parentUuid' in record && (typeof content === 'string' || Array.isArray(content))
}
