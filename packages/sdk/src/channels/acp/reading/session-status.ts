import type { Usage } from '@remora/protocol/plain'
import type { EventFields } from '../../../events/event-maker.ts'
import { countOf, defined, fieldsOf, stringOf } from '../../../events/fields.ts'
import type { AgentRecord } from '../../../events/read-record.ts'

/** Updates of the session as a whole; undefined for one that we do not know. */
export function statusFields(kind: string, update: AgentRecord, session: string): EventFields[] | undefined {
  const entity = session
  switch (kind) {
    case 'plan':
      return [{ type: 'status', entity, status: 'plan', value: update['entries'] }]
    case 'available_commands_update':
      return [{ type: 'status', entity, status: 'commands', value: update['availableCommands'] }]
    case 'current_mode_update':
      return [{ type: 'status', entity, status: 'mode', value: update['currentModeId'] }]
    case 'config_option_update': {
      const told = (['mode', 'model'] as const).flatMap((status): EventFields[] => {
        const value = optionOf(update['configOptions'], status)
        return value === undefined ? [] : [{ type: 'status', entity, status, value }]
      })
      return told.length > 0 ? told : undefined
    }
    case 'session_info_update': {
      const title = stringOf(update['title'])
      return [{ type: 'session', entity, ...(title === undefined ? {} : { title }) }]
    }
    case 'usage_update': {
      const { used, size } = update
      return [{ type: 'status', entity, status: 'working', detail: 'context', value: { used, size } }]
    }
    default:
      return undefined
  }
}

/** What is chosen now, of an agent that tells its choices as options. @example optionOf(result['configOptions'], 'mode') */
export function optionOf(options: unknown, id: string): string | undefined {
  const found = Array.isArray(options)
    ? (options as unknown[]).find((each) =>
        [fieldsOf(each)?.['id'], fieldsOf(each)?.['category']].includes(id),
      )
    : undefined
  return stringOf(fieldsOf(found)?.['currentValue'])
}

/** The tokens of a turn, in the protocol's own field or in Gemini's. @example usageOf({ usage: { inputTokens: 3 } }) */
export function usageOf(result: AgentRecord): Usage | undefined {
  const usage = fieldsOf(result['usage'])
  if (usage) {
    return defined({
      inputTokens: countOf(usage['inputTokens']),
      outputTokens: countOf(usage['outputTokens']),
      totalTokens: countOf(usage['totalTokens']),
      cachedTokens: countOf(usage['cachedReadTokens']),
      cacheWriteTokens: countOf(usage['cachedWriteTokens']),
      thoughtTokens: countOf(usage['thoughtTokens']),
    })
  }
  const counts = fieldsOf(fieldsOf(fieldsOf(result['_meta'])?.['quota'])?.['token_count'])
  if (!counts) return undefined
  return defined({
    inputTokens: countOf(counts['input_tokens']),
    outputTokens: countOf(counts['output_tokens']),
  })
}
