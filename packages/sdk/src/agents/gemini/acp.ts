import type { AcpPart } from '../../contract/agent.ts'
import { leadingSlash, wordJoiner } from '../../contract/prompt-escapes.ts'
import { atLeast } from '../../versions/version.ts'
import { readNameInId, readQuotaUsage } from '../../events/acp-calls.ts'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { acpObstacles } from './acp-obstacles.ts'
import { acpOutputs } from './acp-outputs.ts'
import { env, sharedArguments } from './arguments.ts'
import { forkSession } from './fork-session.ts'
import { findPlanObstacle, guardPlan } from './plan-guard.ts'
import { toClaude } from './tools.ts'
import { since } from './versions.ts'

export const acp: AcpPart = {
  invocation(version, { mode, model } = {}) {
    const flag = atLeast(version, since.acp) ? '--acp' : '--experimental-acp'
    const request = { ...(mode ? { mode } : {}), ...(model === undefined ? {} : { model }) }
    return { args: [flag, ...sharedArguments(request, version)], env }
  },
  escapes: [{ kind: 'slash', pattern: leadingSlash, prefix: wordJoiner }],
  toClaude,
  nativeName: readNameInId,
  readUsage: readQuotaUsage,
  quirks: () => ({
    // The CLI reports a mode change as text of the model: after a requested change, and mid-turn when the user allows
    // all edits.
    remarks: /^\[MODE_UPDATE\] (?<mode>\S+)\s*$/,
    // The CLI reads a file before it writes it. It recognizes a missing file only by a Node.js error with code ENOENT,
    // and a refusal by the client never becomes such an error.
    readsFilesItself: true,
  }),
  hostTool,
  guardPlan,
  planObstacle: findPlanObstacle,
  obstacles: acpObstacles,
  outputs: acpOutputs,
  fork: forkSession,
}

/**
 * Finds the MCP tool of a permission request. Only MCP calls have an option that allows the whole server; up to 0.34
 * the option names server and tool, from 0.61 on the title does.
 *
 * @example hostTool('remora', request) // 'clock'
 */
function hostTool(server: string, request: AgentRecord): string | undefined {
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
