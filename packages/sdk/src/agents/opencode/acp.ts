import type { AcpPart } from '../../contract/agent.ts'
import { readNameInTitle } from '../../events/acp-calls.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { leadingSlash, wordJoiner } from '../../contract/prompt-escapes.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { modeVariables } from './arguments.ts'
import { guardPlan } from './run-variables.ts'
import { toClaude } from './tools.ts'

// ACP has no flag for the permissions. The variable takes precedence over the user's configuration.
const everything = { env: { OPENCODE_PERMISSION: '{"*":"allow"}' } }

export const acp: AcpPart = {
  // Model and agent are set per session, permissions for the whole process.
  invocation: (_, { mode } = {}) => ({
    args: ['acp'],
    ...(mode === 'bypassPermissions' ? everything : modeVariables(mode)),
  }),
  escapes: [{ kind: 'slash', pattern: leadingSlash, prefix: wordJoiner }],
  guardPlan,
  toClaude,
  nativeName: readNameInTitle,
  hostTool,
}

/** A permission request is titled with the tool's native name, like the call at first. */
function hostTool(server: string, request: AgentRecord): string | undefined {
  const call = asRecord(request['toolCall'])
  const title = asString(call?.['title'])
  const isOther = call?.['kind'] === undefined || call['kind'] === 'other'
  return isOther && title?.startsWith(`${server}_`) ? title.slice(server.length + 1) : undefined
}
