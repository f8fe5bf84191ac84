import type { AcpPart } from '../../agent.ts'
import { unsupported } from '../../unsupported.ts'
import { modeVariables } from './arguments.ts'
import { toClaude } from './tools.ts'

export const acp: AcpPart = {
  // Model and agent are chosen for each session. Permissions are its configuration's, and of that only what a variable
  // says holds for one process.
  invocation(_, { mode } = {}) {
    if (mode === 'bypassPermissions')
      throw unsupported('OpenCode', `the mode ${mode} over ACP`, 'Answer its questions: permissions "auto".')
    return { args: ['acp'], ...modeVariables(mode) }
  },
  modes: { default: 'build', plan: 'plan' },
  toClaude,
}
