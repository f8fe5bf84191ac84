import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'

/**
 * Finds the MCP tool of a permission request. Only MCP calls have an option that allows the whole server; up to 0.34
 * the option names server and tool, from 0.61 on the title does.
 *
 * @example hostTool('remora', request) // 'clock'
 */
export function hostTool(server: string, request: AgentRecord): string | undefined {
  const options = Array.isArray(request['options']) ? (request['options'] as unknown[]).map(asRecord) : []
  const named = (id: string) => asString(options.find((option) => option?.['optionId'] === id)?.['name'])
  const ofServer = named('proceed_always_server')
  const call = asRecord(request['toolCall'])
  if (ofServer === undefined || call?.['kind'] !== 'other') return undefined
  if (ofServer === `Always Allow ${server}`)
    return /^Always Allow ([\w-]+)$/.exec(named('proceed_always_tool') ?? '')?.[1]
  const [, tool, from] = /^([\w-]+) \((\S+) MCP Server\)$/.exec(asString(call['title']) ?? '') ?? []
  return from === server ? tool : undefined
}
