import type { AcpPart } from '../../contract/agent.ts'
import { leadingSlash, wordJoiner } from '../../contract/prompt-escapes.ts'
import { atLeast } from '../../versions/version.ts'
import { hostTool } from './acp-host-tool.ts'
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
  // The flag says auto_edit where the protocol says autoEdit.
  modes: { default: 'default', acceptEdits: 'autoEdit', plan: 'plan', bypassPermissions: 'yolo' },
  escapes: [{ kind: 'slash', pattern: leadingSlash, prefix: wordJoiner }],
  toClaude,
  quirks: () => ({
    // It tells a change of mode as if the model had said it: when it was asked to change, and in the middle of a turn
    // when a person allows all edits.
    remarks: /^\[MODE_UPDATE\] (?<mode>\S+)\s*$/,
    // Before it writes a file it reads it. That there is none it knows only by an Error of Node's with the code ENOENT,
    // and what the client refuses never becomes an Error in it.
    readsByItself: true,
  }),
  hostTool,
  guardPlan,
  planObstacle: findPlanObstacle,
  obstacles: acpObstacles,
  outputs: acpOutputs,
  fork: forkSession,
}
