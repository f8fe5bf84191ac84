import type { AcpPart } from '../../agent.ts'
import { atLeast } from '../../version.ts'
import { env, sharedArguments } from './arguments.ts'
import { forkSession } from './fork-session.ts'
import { toClaude } from './tools.ts'
import { since } from './versions.ts'

export const acp: AcpPart = {
  invocation(version, { mode, model } = {}) {
    const flag = atLeast(version, since.acp) ? '--acp' : '--experimental-acp'
    const request = { ...(mode ? { mode } : {}), ...(model === undefined ? {} : { model }) }
    return { args: [flag, ...sharedArguments(request, version)], env }
  },
  modes: { default: 'default', acceptEdits: 'autoEdit', plan: 'plan', bypassPermissions: 'yolo' },
  toClaude,
  // It tells a change of mode as if the model had said it.
  quirks: () => ({ remarks: /^\[MODE_UPDATE\] / }),
  fork: forkSession,
}
