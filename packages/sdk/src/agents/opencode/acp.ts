import type { AcpPart } from '../../agent.ts'
import { modeVariables } from './arguments.ts'
import { toClaude } from './tools.ts'

// Over ACP there is no flag for it; the variable goes before the rules of the user's configuration.
const everything = { env: { OPENCODE_PERMISSION: '{"*":"allow"}' } }

export const acp: AcpPart = {
  // Model and agent are chosen for each session; what may be done unasked, for the whole process.
  invocation: (_, { mode } = {}) => ({
    args: ['acp'],
    ...(mode === 'bypassPermissions' ? everything : modeVariables(mode)),
  }),
  modes: { default: 'build', plan: 'plan' },
  toClaude,
}
