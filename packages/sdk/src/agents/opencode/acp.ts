import type { AcpPart } from '../../agent.ts'
import { onlyAtOpening } from '../acp-start.ts'
import { modeVariables } from './arguments.ts'
import { toClaude } from './tools.ts'

export const acp: AcpPart = {
  invocation(_, start = {}) {
    // Its permissions are its configuration's, and of that only what a variable says holds for one process.
    onlyAtOpening('OpenCode', start, { model: false, modes: ['acceptEdits'] })
    return { args: ['acp'], ...modeVariables(start.mode) }
  },
  modes: { default: 'build', plan: 'plan' },
  toClaude,
}
