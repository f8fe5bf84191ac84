import type { Usage } from '@remora/protocol/plain'
import { readQuotaUsage } from '../../../events/acp-calls.ts'
import type { EventFields } from '../../../events/event-maker.ts'
import { asCount, defined, asRecord, asString } from '../../../events/fields.ts'
import type { AgentRecord } from '../../../events/read-record.ts'

/** Reads updates of the session; undefined for unknown ones. */
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
      const eventFields = (['mode', 'model'] as const).flatMap((status): EventFields[] => {
        const value = findOption(update['configOptions'], status)
        return value === undefined ? [] : [{ type: 'status', entity, status, value }]
      })
      return eventFields.length > 0 ? eventFields : undefined
    }
    case 'session_info_update': {
      const title = asString(update['title'])
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

/** Finds the current value, for agents that list their choices as options. @example findOption(result['configOptions'], 'mode') */
export function findOption(options: unknown, id: string): string | undefined {
  const found = Array.isArray(options)
    ? (options as unknown[]).find((each) =>
        [asRecord(each)?.['id'], asRecord(each)?.['category']].includes(id),
      )
    : undefined
  return asString(asRecord(found)?.['currentValue'])
}

/** The tokens of a turn, in the protocol's field or the agent's own. @example readUsage({ usage: { inputTokens: 3 } }) */
export function readUsage(
  result: AgentRecord,
  readOwn: (result: AgentRecord) => Usage | undefined = readQuotaUsage,
): Usage | undefined {
  const usage = asRecord(result['usage'])
  if (!usage) return readOwn(result)
  return defined({
    inputTokens: asCount(usage['inputTokens']),
    outputTokens: asCount(usage['outputTokens']),
    totalTokens: asCount(usage['totalTokens']),
    cachedTokens: asCount(usage['cachedReadTokens']),
    cacheWriteTokens: asCount(usage['cachedWriteTokens']),
    thoughtTokens: asCount(usage['thoughtTokens']),
  })
}
