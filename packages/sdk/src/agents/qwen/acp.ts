import type { AcpPart } from '../../contract/agent.ts'
import { leadingSlash, wordJoiner } from '../../contract/prompt-escapes.ts'
import { readToolName } from '../../events/acp-calls.ts'
import { asRecord } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { env, toSharedArguments } from './arguments.ts'
import { forkSession } from './fork-session.ts'
import { findPlanObstacle } from './plan-guard.ts'
import { toClaude } from './tools.ts'

export const acp: AcpPart = {
  invocation(version, { mode, model } = {}) {
    const request = { ...(mode ? { mode } : {}), ...(model === undefined ? {} : { model }) }
    return { args: ['--acp', ...toSharedArguments(request, version)], env }
  },
  escapes: [{ kind: 'slash', pattern: leadingSlash, prefix: wordJoiner }],
  planObstacle: findPlanObstacle,
  fork: forkSession,
  toClaude,
  nativeName: readToolName,
  hostTool,
}

/** Qwen Code writes the name of the tool into `_meta`, which the model cannot. */
function hostTool(server: string, request: AgentRecord): string | undefined {
  const prefix = `mcp__${server}__`
  const name = readToolName(asRecord(request['toolCall']) ?? {})
  return name?.startsWith(prefix) ? name.slice(prefix.length) : undefined
}
