import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'

/**
 * The tool of an MCP server in a request for permission. Only calls of such servers have an option that allows all of
 * one; up to 0.34 it names server and tool, and from 0.61 on the title does.
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
