import type { AcpPart } from '../../agent.ts'
import { toClaude } from './tools.ts'

// Claude Code speaks no ACP; a wrapper does. It brings a Claude of its own unless CLAUDE_CODE_EXECUTABLE names another.
export const acp: AcpPart = {
  invocation: () => ({ args: [], command: 'claude-code-acp', package: '@zed-industries/claude-code-acp' }),
  modes: {
    default: 'default',
    acceptEdits: 'acceptEdits',
    plan: 'plan',
    bypassPermissions: 'bypassPermissions',
  },
  toClaude,
  quirks: () => ({
    endBySignal: true,
    env: (_, own): Record<string, string> => (own === undefined ? {} : { CLAUDE_CODE_EXECUTABLE: own }),
  }),
}
