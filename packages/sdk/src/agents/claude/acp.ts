import type { AcpPart } from '../../agent.ts'

// Claude Code speaks no ACP; a wrapper does. It brings a Claude of its own unless CLAUDE_CODE_EXECUTABLE names another.
export const acp: AcpPart = {
  invocation: () => ({ args: [], command: 'claude-code-acp', package: '@zed-industries/claude-code-acp' }),
}
