import type { AcpPart } from '../../agent.ts'

// Codex speaks no ACP; this wrapper has Codex built in.
export const acp: AcpPart = {
  invocation: () => ({ args: [], command: 'codex-acp', package: '@zed-industries/codex-acp' }),
}
